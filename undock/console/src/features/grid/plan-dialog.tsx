import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { TextBlock } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Pending } from '../../components/states.tsx'
import { read } from '../../lib/api.ts'
import { PlanTree, readPlan } from '../sql/plan.tsx'
import { pageStatement, type RowRequest, tieBreakers } from './row-source.ts'

type PlanDialogProps = { request: RowRequest; onClose: () => void }

/** Shows the statement for a grid's first rows, and its plan. */
export function PlanDialog({ request, onClose }: PlanDialogProps) {
  const { relation, sort, filters, near, part, as } = request
  const { text, values } = pageStatement(request, tieBreakers(request), null, { isBackward: part === 'end' })
  const plan = useQuery({
    queryKey: ['rows', relation.schema, relation.name, 'plan', { sort, filters, as, near, part }],
    queryFn: async ({ signal }) => {
      const explain = `explain (analyze, buffers, format json) ${text}`
      const [result] = await read([{ text: explain, values, limit: 1 }], { as, signal })
      return readPlan(result?.rows[0]?.[0])
    },
    gcTime: 0,
  })
  return (
    <Dialog
      title={`Query plan of ${relation.name}`}
      wide
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <div className="rounded-md border bg-raised">
        <TextBlock label="Statement" className="max-h-48" text={text} />
        {values.length > 0 ? (
          <p className="border-t px-3 py-1.5 font-mono text-ink-soft text-xs">
            {values.map((value, n) => `$${n + 1} = ${value ?? 'null'}`).join(', ')}
          </p>
        ) : null}
      </div>
      {plan.data && !plan.error ? (
        <PlanTree plan={plan.data} />
      ) : (
        <Pending error={plan.error} onRetry={plan.refetch} label="Running the statement" />
      )}
    </Dialog>
  )
}
