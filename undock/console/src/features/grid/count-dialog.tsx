import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/field.tsx'
import { Pending } from '../../components/states.tsx'
import { read } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { countStatement, type Filter, type RowRequest } from './row-source.ts'

type CountDialogProps = { request: RowRequest; onFilter: (filter: Filter) => void; onClose: () => void }

/** Counts a grid's rows by a column's values, each of which can filter the grid. */
export function CountDialog({ request, onFilter, onClose }: CountDialogProps) {
  const { relation, filters, as } = request
  const columns = relation.columns.filter(({ baseType }) => baseType !== 'json')
  const [column, setColumn] = useState(columns.find(({ isKey }) => !isKey)?.name ?? columns[0]?.name ?? '')
  const groups = useQuery({
    queryKey: ['rows', relation.schema, relation.name, 'groups', { column, filters, as }],
    queryFn: async ({ signal }) => {
      const [result] = await read([countStatement(request, column)], { as, signal })
      return (result?.rows ?? []).map(([value = null, rows, values, all]) => ({
        value,
        rows: Number(rows),
        values: Number(values),
        share: Number(rows) / Number(all),
      }))
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const values = groups.data?.[0]?.values ?? 0
  return (
    <Dialog title={`Values of ${relation.name}`} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Select label="Column" value={column} onValue={setColumn} options={columns.map(({ name }) => name)} />
      {groups.data && !groups.error ? (
        <>
          <p className="text-ink-soft text-xs">
            {values === 0 ? 'There are no rows.' : `${count(values)} different values`}
            {values > groups.data.length ? `, the ${groups.data.length} most frequent` : ''}
          </p>
          <ul aria-label="Values" className="grid gap-px">
            {groups.data.map(({ value, rows, share }) => (
              <li key={value ?? 'null'}>
                <button
                  type="button"
                  className="relative flex w-full items-center justify-between gap-3 rounded px-2 py-1 text-left text-[13px] hover:bg-panel"
                  onClick={() => onFilter(value === null ? [column, 'is null', ''] : [column, '=', value])}
                >
                  <span
                    aria-hidden
                    className="absolute inset-y-0 left-0 rounded bg-accent-soft"
                    style={{ width: `${100 * share}%` }}
                  />
                  <span className="relative min-w-0 truncate">
                    {value === null ? <em className="text-ink-faint">NULL</em> : value === '' ? <em>empty</em> : value}
                  </span>
                  <span className="relative shrink-0 text-ink-soft tabular-nums">{count(rows)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Pending error={groups.error} onRetry={groups.refetch} label="Counting" />
      )}
    </Dialog>
  )
}
