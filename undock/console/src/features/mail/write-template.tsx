import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { changedLines } from './changed-lines.ts'
import {
  changesQuery,
  type Draft,
  type FileChange,
  TEMPLATE_NAMES,
  templatesQuery,
  writeTemplate,
} from './templates.ts'

type WriteTemplateProps = { kind: string; draft: Draft; onWritten: () => void; onClose: () => void }

/** Shows what saving a template would write, then writes it. */
export function WriteTemplate({ kind, draft, onWritten, onClose }: WriteTemplateProps) {
  const queryClient = useQueryClient()
  const changes = useQuery(changesQuery(kind, draft))
  const write = useMutation({
    mutationFn: () => writeTemplate(kind, draft),
    onSuccess: async (written) => {
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
      tellDone(`Written: ${written.map(({ path }) => path).join(' and ')}. The next mail is made from it.`)
      onWritten()
    },
  })
  const error = write.error ?? changes.error
  return (
    <Dialog
      title={`Save the template “${TEMPLATE_NAMES[kind] ?? kind}”`}
      wide
      onClose={onClose}
      onSubmit={() => write.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={write.isPending || !changes.data}>
            Write
          </Button>
        </>
      }
    >
      {changes.data ? changes.data.map((change) => <Change key={change.path} change={change} />) : null}
      {error ? <Failure error={error} /> : changes.data ? null : <Loading />}
    </Dialog>
  )
}

const TONES = { ' ': 'text-ink-soft', '-': 'bg-danger-soft text-danger', '+': 'bg-accent-soft text-ink' } as const

function Change({ change: { path, before, after } }: { change: FileChange }) {
  return (
    <section aria-label={path}>
      <h3 className="mb-1 font-medium text-[13px]">
        <code className="font-mono text-xs">{path}</code> {before === null ? '(new file)' : null}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} className="max-h-72 overflow-auto rounded-lg border bg-raised py-1 font-mono text-xs">
        {changedLines(before ?? '', after).map(({ mark, text }, at) => (
          <span key={at} className={clsx('block w-fit min-w-full px-3', TONES[mark])}>
            {mark} {text}
          </span>
        ))}
      </pre>
    </section>
  )
}
