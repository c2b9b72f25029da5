import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { Play, Plus, Square, SquareTerminal, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { Checkbox } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure } from '../components/states.tsx'
import { ViewAs } from '../components/view-as.tsx'
import { catalogKey } from '../features/catalog.ts'
import { Editor, type EditorHandle } from '../features/sql/editor.tsx'
import { namesQuery } from '../features/sql/names.ts'
import { ResultView } from '../features/sql/result-view.tsx'
import { useTabs } from '../features/sql/use-tabs.ts'
import { api, type ScriptOutcome } from '../lib/api.ts'
import { duration } from '../lib/format.ts'

const route = getRouteApi('/sql')

export function SqlScreen() {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const { tabs, open, write, close } = useTabs()
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0]
  const show = (id: string | undefined) => void navigate({ search: { tab: id }, replace: true })
  return (
    <Page
      title="SQL"
      actions={
        <div role="tablist" aria-label="Open scripts" className="flex max-w-full gap-1 overflow-auto">
          {tabs.map(({ id, name }) => (
            <div
              key={id}
              className={clsx('flex items-center rounded-md', id === current?.id ? 'bg-accent-soft' : 'hover:bg-panel')}
            >
              <button
                type="button"
                role="tab"
                aria-selected={id === current?.id}
                onClick={() => show(id)}
                className="max-w-44 truncate py-1.5 pl-2.5 text-[13px]"
              >
                {name}
              </button>
              <IconButton
                label={`Close ${name}`}
                className="size-6!"
                onClick={() => {
                  void api(`/tabs/${id}`, { method: 'DELETE' }).catch(() => undefined)
                  show(close(id))
                }}
              >
                <X aria-hidden />
              </IconButton>
            </div>
          ))}
          <IconButton label="New script" onClick={() => show(open())}>
            <Plus aria-hidden />
          </IconButton>
        </div>
      }
    >
      {current ? (
        <Script key={current.id} id={current.id} initial={current.text} onChange={(text) => write(current.id, text)} />
      ) : null}
    </Page>
  )
}

type ScriptProps = { id: string; initial: string; onChange: (text: string) => void }

function Script({ id, initial, onChange }: ScriptProps) {
  const queryClient = useQueryClient()
  const editor = useRef<EditorHandle>(null)
  const names = useQuery(namesQuery)
  const [as, setAs] = useState<string>()
  const [isTrial, setIsTrial] = useState(false)
  const [shown, setShown] = useState(0)
  const started = useRef(0)
  const run = useMutation({
    mutationFn: ({ text }: { text: string; start: number }) => {
      started.current = performance.now()
      const body = { text, as, ending: isTrial ? 'rollback' : 'commit', limit: 5_000 }
      return api<ScriptOutcome>(`/tabs/${id}`, { method: 'POST', body })
    },
    onSuccess: ({ results }, { start }) => {
      setShown(Math.max(0, results.length - 1))
      editor.current?.mark(
        results.flatMap((one) =>
          'error' in one
            ? [{ from: start + one.start + (one.error.position ?? 1) - 1, message: one.error.message }]
            : [],
        ),
      )
      void queryClient.invalidateQueries({ queryKey: catalogKey })
      void queryClient.invalidateQueries({ queryKey: ['rows'] })
    },
  })
  const isRunning = run.isPending
  const execute = (prefix = '') => {
    const chosen = editor.current?.chosen()
    if (!chosen || chosen.text.trim() === '' || isRunning) return
    run.mutate({ text: prefix + chosen.text, start: chosen.start - prefix.length })
  }
  const outcome = run.data
  const one = outcome?.results[shown]

  return (
    <div className="flex h-full flex-col">
      <div className="h-2/5 min-h-40 shrink-0">
        <Editor ref={editor} initial={initial} schema={names.data ?? {}} onChange={onChange} onRun={() => execute()} />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-y bg-panel px-3 py-1.5">
        {isRunning ? (
          <Button look="danger" onClick={() => void api(`/tabs/${id}/cancel`, { method: 'POST' })}>
            <Square aria-hidden />
            Cancel
          </Button>
        ) : (
          <Button look="primary" onClick={() => execute()} title="Runs the selected text, or all of it (⌘Enter)">
            <Play aria-hidden />
            Run
          </Button>
        )}
        <Button disabled={isRunning} onClick={() => execute('explain (analyze, buffers, format json) ')}>
          Explain
        </Button>
        <ViewAs value={as} onChange={setAs} />
        <Checkbox
          label="Take all changes back"
          checked={isTrial}
          onChange={({ target }) => setIsTrial(target.checked)}
        />
        {outcome?.transaction ? (
          <span className="ml-auto flex items-center gap-2 rounded-md bg-warn-soft px-2 py-1 text-warn text-xs">
            {outcome.transaction === 'open'
              ? 'A transaction is open in this tab.'
              : 'The transaction has failed: only rollback goes on.'}
            <EndTransaction id={id} isFailed={outcome.transaction === 'failed'} onEnd={() => run.reset()} />
          </span>
        ) : null}
        {isRunning ? <Clock since={started.current} /> : null}
      </div>
      <div className="flex min-h-0 flex-1 flex-col">
        {outcome && (outcome.results.length > 1 || outcome.notices.length > 0) ? (
          <div className="flex gap-1 overflow-auto border-b px-3 py-1">
            {outcome.results.map((result, index) => (
              <button
                key={index}
                type="button"
                aria-pressed={index === shown}
                title={result.text}
                onClick={() => setShown(index)}
                className={clsx(
                  'shrink-0 rounded-md px-2 py-0.5 text-xs aria-pressed:bg-accent-soft',
                  'error' in result ? 'text-danger' : 'text-ink-soft',
                )}
              >
                {index + 1} {'error' in result ? 'failed' : result.result.command.toLowerCase()}
              </button>
            ))}
            {outcome.notices.map((notice) => (
              <span key={notice} className="shrink-0 px-2 py-0.5 text-ink-faint text-xs">
                {notice}
              </span>
            ))}
          </div>
        ) : null}
        <div className="min-h-0 flex-1 overflow-auto">
          {run.error ? (
            <Failure error={run.error} />
          ) : one ? (
            <ResultView key={`${shown} ${run.submittedAt}`} one={one} />
          ) : outcome ? (
            <p className="p-3 text-[13px] text-ink-soft">There was no statement to run.</p>
          ) : isRunning ? null : (
            <Empty icon={SquareTerminal} title="Results appear here">
              Run the script with ⌘Enter. Select a part of it to run only that.
            </Empty>
          )}
        </div>
      </div>
    </div>
  )
}

type EndTransactionProps = { id: string; isFailed: boolean; onEnd: () => void }

function EndTransaction({ id, isFailed, onEnd }: EndTransactionProps) {
  const end = useMutation({
    mutationFn: (text: string) => api<ScriptOutcome>(`/tabs/${id}`, { method: 'POST', body: { text } }),
    onSuccess: onEnd,
  })
  return (
    <>
      {isFailed ? null : (
        <button type="button" className="font-medium underline" onClick={() => end.mutate('commit')}>
          Commit
        </button>
      )}
      <button type="button" className="font-medium underline" onClick={() => end.mutate('rollback')}>
        Roll back
      </button>
    </>
  )
}

function Clock({ since }: { since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200)
    return () => clearInterval(timer)
  }, [])
  return (
    <span role="timer" className="text-ink-faint text-xs">
      running for {duration(now - since)}
    </span>
  )
}
