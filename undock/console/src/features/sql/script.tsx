import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Save, Square } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Select } from '../../components/field.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { ViewAs } from '../../components/view-as.tsx'
import { ApiError, api } from '../../lib/api.ts'
import { count, duration } from '../../lib/format.ts'
import { shortcut } from '../../lib/shortcut.ts'
import { useStored } from '../../lib/use-stored.ts'
import { catalogKey } from '../catalog.ts'
import { ChangesNotice } from './changes-notice.tsx'
import { Editor, type EditorHandle } from './editor.tsx'
import { errorPlace, lineOf } from './error-place.ts'
import { NO_NAMES } from './language.ts'
import { LossDialog } from './loss-dialog.tsx'
import { namesQuery } from './names.ts'
import { Outcome } from './outcome.tsx'
import { findLosses, runScript, type ScriptOutcome, type SizedLoss } from './run-script.ts'
import { SnippetName } from './snippet-dialogs.tsx'
import { SnippetNotice } from './snippet-notice.tsx'
import { type Snippet, saveSnippet, snippetQuery, snippetsQuery } from './snippets.ts'
import { asSnippet, type Tab } from './use-tabs.ts'

/** The most rows of a result, to choose from. */
const LIMITS = [1_000, 5_000, 100_000]

type ScriptProps = {
  tab: Tab
  onWrite: (text: string) => void
  onChange: (next: (tab: Tab) => Partial<Tab>) => void
  onTake: (snippet: Snippet) => void
  /** The script has another file, or none. */
  onMoved: (name: string | undefined) => void
}

/** @property start The character of the script that the text begins at. @property line The number of its first line. */
type Run = { text: string; start: number; line: number; explain: boolean; isConfirmed: boolean }

/** A script: its editor, how it is run, and what it answers. */
export function Script({ tab, onWrite, onChange, onTake, onMoved }: ScriptProps) {
  const { id, text, snippet } = tab
  const queryClient = useQueryClient()
  const editor = useRef<EditorHandle>(null)
  const names = useQuery(namesQuery)
  const [as, setAs] = useState<string>()
  const [isTrial, setIsTrial] = useState(false)
  const [limit, setLimit] = useStored('undock-row-limit', '5000')
  const [arriving, setArriving] = useState<ScriptOutcome>()
  const [isNaming, setIsNaming] = useState(false)
  const started = useRef(0)
  const [question, setQuestion] = useState<{ losses: readonly SizedLoss[]; run: Run }>()
  const keepChanges = ({ schemaChanges }: ScriptOutcome) => {
    if (schemaChanges.length > 0) onChange(({ changes = [] }) => ({ changes: [...changes, ...schemaChanges] }))
  }
  const run = useMutation({
    mutationFn: async (chosen: Run) => {
      started.current = performance.now()
      const { text: script, explain } = chosen
      const call = { text: script, as, ending: isTrial || explain ? 'rollback' : 'commit' } as const
      setArriving(undefined)
      const losses = chosen.isConfirmed ? [] : await findLosses(id, call)
      if (losses.length > 0) {
        setQuestion({ losses, run: chosen })
        return null
      }
      return runScript(id, { ...call, explain, limit: Number(limit) }, setArriving)
    },
    onSuccess: (outcome, { start }) => {
      if (!outcome) return
      const { results } = outcome
      keepChanges(outcome)
      editor.current?.mark(
        results.flatMap((one) =>
          'error' in one ? [{ from: start + errorPlace(one), message: one.error.message }] : [],
        ),
      )
      void queryClient.invalidateQueries({ queryKey: catalogKey })
      void queryClient.invalidateQueries({ queryKey: ['rows'] })
    },
  })
  const isRunning = run.isPending
  const execute = (explain = false) => {
    const chosen = editor.current?.chosen()
    if (!chosen || chosen.text.trim() === '' || isRunning) return
    run.mutate({ ...chosen, explain, isConfirmed: false })
  }

  const write = async (name: string, version: string | null) => {
    const saved = await saveSnippet(name, text, version)
    // A look at the file that began before it was written would show the earlier text.
    await queryClient.cancelQueries(snippetQuery(name))
    queryClient.setQueryData(snippetQuery(name).queryKey, saved)
    onChange((now) => asSnippet(saved, now.text !== text))
    void queryClient.invalidateQueries({ queryKey: snippetsQuery.queryKey })
    if (name !== snippet?.name) onMoved(name)
    tellDone(`Saved as supabase/snippets/${name}.sql.`)
  }
  const overwrite = (version: string | null) => {
    if (!snippet) return
    void write(snippet.name, version).catch((error: unknown) => {
      // The notice says what happened to the file, and asks.
      if (error instanceof ApiError && error.status === 409)
        void queryClient.invalidateQueries(snippetQuery(snippet.name))
      else tellFailure(error)
    })
  }
  const save = () => (snippet ? overwrite(snippet.version) : setIsNaming(true))
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) save()
  })
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  return (
    <div className="flex h-full flex-col">
      {snippet ? (
        <SnippetNotice
          snippet={snippet}
          onTake={onTake}
          onSave={overwrite}
          onDetach={() => {
            onChange(() => ({ snippet: undefined }))
            onMoved(undefined)
          }}
        />
      ) : null}
      <div className="h-2/5 min-h-40 shrink-0">
        <Editor
          key={tab.edition}
          ref={editor}
          initial={text}
          names={names.data ?? NO_NAMES}
          onChange={onWrite}
          onRun={() => execute()}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-y bg-panel px-3 py-1.5">
        {isRunning ? (
          <Button look="danger" onClick={() => void api(`/tabs/${id}/cancel`, { method: 'POST' })}>
            <Square aria-hidden />
            Cancel
          </Button>
        ) : (
          <Button
            look="primary"
            onClick={() => execute()}
            title={`Runs the selected text, or all of it (${shortcut('Enter')})`}
          >
            <Play aria-hidden />
            Run
          </Button>
        )}
        <Button
          disabled={isRunning}
          onClick={() => execute(true)}
          title="Shows how Postgres runs each statement, and takes all changes back"
        >
          Explain
        </Button>
        <Button onClick={save} title={`Saves the script as a file of supabase/snippets (${shortcut('S')})`}>
          <Save aria-hidden />
          Save
        </Button>
        <ViewAs value={as} onChange={setAs} />
        <Select
          aria-label="Most rows of a result"
          value={limit}
          onChange={({ target }) => setLimit(target.value)}
          className="w-auto!"
        >
          {LIMITS.map((one) => (
            <option key={one} value={one}>
              {count(one)} rows
            </option>
          ))}
        </Select>
        <Checkbox
          label="Take all changes back"
          checked={isTrial}
          onChange={({ target }) => setIsTrial(target.checked)}
        />
        {run.data?.transaction ? (
          <span className="ml-auto flex items-center gap-2 rounded-md bg-warn-soft px-2 py-1 text-warn text-xs">
            {run.data.transaction === 'open'
              ? 'A transaction is open in this tab.'
              : 'The transaction has failed: only rollback continues.'}
            <EndTransaction
              id={id}
              isFailed={run.data.transaction === 'failed'}
              onEnd={(outcome) => {
                keepChanges(outcome)
                run.reset()
              }}
            />
          </span>
        ) : null}
        {isRunning ? <Clock since={started.current} /> : null}
      </div>
      {tab.changes && tab.changes.length > 0 ? (
        <ChangesNotice statements={tab.changes} onEnd={() => onChange(() => ({ changes: undefined }))} />
      ) : null}
      <Outcome
        key={run.submittedAt}
        outcome={isRunning ? arriving : (run.data ?? undefined)}
        lineOf={(failed) => lineOf(run.variables?.text ?? '', errorPlace(failed), run.variables?.line)}
        error={run.error}
        isRunning={isRunning}
        chart={tab.chart}
        onChart={(chart) => onChange(() => ({ chart }))}
      />
      {question ? (
        <LossDialog
          losses={question.losses}
          onConfirm={() => {
            setQuestion(undefined)
            run.mutate({ ...question.run, isConfirmed: true })
          }}
          onClose={() => setQuestion(undefined)}
        />
      ) : null}
      {isNaming ? (
        <SnippetName
          title="Save the script as a snippet"
          action="Save"
          initial={tab.name}
          run={(name) => write(name, null)}
          onClose={() => setIsNaming(false)}
        />
      ) : null}
    </div>
  )
}

type EndTransactionProps = { id: string; isFailed: boolean; onEnd: (outcome: ScriptOutcome) => void }

function EndTransaction({ id, isFailed, onEnd }: EndTransactionProps) {
  const end = useMutation({
    mutationFn: (text: string) => runScript(id, { text }),
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
