import { useMutation } from '@tanstack/react-query'
import { Play, Save, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Select } from '../../components/field.tsx'
import { ViewAs } from '../../components/view-as.tsx'
import { shortcut } from '../../lib/browser.ts'
import { count, duration } from '../../lib/format.ts'
import { runScript, type ScriptOutcome } from './run-script.ts'
import type { ScriptRun } from './use-script-run.ts'

/** The choices for the maximum number of rows. */
const LIMITS = [1_000, 5_000, 100_000]

type ScriptBarProps = {
  /** The tab's id. */
  id: string
  run: ScriptRun
  onRun: () => void
  onExplain: () => void
  onSave: () => void
}

/** How to run a script, and its actions. */
export function ScriptBar({ id, run, onRun, onExplain, onSave }: ScriptBarProps) {
  const { settings, isRunning } = run
  return (
    <div className="flex flex-wrap items-center gap-2 border-y bg-panel px-3 py-1.5">
      {isRunning ? (
        <Button icon={Square} look="danger" onClick={run.cancel}>
          Cancel
        </Button>
      ) : (
        <Button
          icon={Play}
          look="primary"
          onClick={onRun}
          title={`Runs the selected text, or all of it (${shortcut('Enter')})`}
        >
          Run
        </Button>
      )}
      <Button
        disabled={isRunning}
        onClick={onExplain}
        title="Shows how Postgres runs each statement, and rolls back all changes"
      >
        Explain
      </Button>
      <Button icon={Save} onClick={onSave} title={`Saves the script in supabase/snippets (${shortcut('S')})`}>
        Save
      </Button>
      <ViewAs value={settings.as} onChange={settings.setAs} />
      <Select
        aria-label="Maximum rows per result"
        value={settings.limit}
        onValue={(value) => settings.setLimit(value)}
        className="w-auto!"
        options={LIMITS.map((one) => [one, `${count(one)} rows`])}
      />
      <Checkbox
        label="Undo all changes"
        checked={settings.isTrial}
        onChecked={(isChecked) => settings.setIsTrial(isChecked)}
      />
      {run.transaction ? (
        <span className="ml-auto flex items-center gap-2 rounded-md bg-warn-soft px-2 py-1 text-warn text-xs">
          {run.transaction === 'open'
            ? 'A transaction is open in this tab.'
            : 'The transaction has failed: only rollback continues.'}
          <EndTransaction id={id} isFailed={run.transaction === 'failed'} onEnd={run.onTransactionEnded} />
        </span>
      ) : null}
      {isRunning ? <Clock since={run.startedAt} /> : null}
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
