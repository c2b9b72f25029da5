import clsx from 'clsx'
import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { Empty, Failure } from '../../components/states.tsx'
import { shortcut } from '../../lib/browser.ts'
import type { Chart } from './chart.ts'
import { ResultView } from './result-view.tsx'
import type { FailedResult, ScriptOutcome } from './run-script.ts'

type OutcomeProps = {
  outcome: ScriptOutcome | undefined
  error: unknown
  isRunning: boolean
  /** The editor's line in which a statement failed. */
  lineOf: (failed: FailedResult) => number
  chart: Chart | undefined
  onChart: (chart: Chart) => void
}

/** The results of a script's statements. Shows the last one until the user chooses another. */
export function Outcome({ outcome, error, isRunning, lineOf, chart, onChart }: OutcomeProps) {
  const [chosen, setChosen] = useState<number>()
  const results = outcome?.results ?? []
  const selected = chosen ?? results.length - 1
  const one = results[selected]
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {outcome && (results.length > 1 || outcome.notices.length > 0) ? (
        <div className="flex gap-1 overflow-auto border-b px-3 py-1">
          {results.map((result, index) => (
            <button
              key={index}
              type="button"
              aria-pressed={index === selected}
              title={result.text}
              onClick={() => setChosen(index)}
              className={clsx(
                'shrink-0 rounded-md px-2 py-0.5 text-xs aria-pressed:bg-accent-soft',
                'error' in result ? 'text-danger' : 'text-ink-soft',
              )}
            >
              {index + 1} {'error' in result ? 'failed' : result.result.command.toLowerCase()}
            </button>
          ))}
          {outcome.notices.map((notice, index) => (
            <span key={index} className="shrink-0 px-2 py-0.5 text-ink-faint text-xs">
              {notice}
            </span>
          ))}
        </div>
      ) : null}
      <div className="min-h-0 flex-1 overflow-auto">
        {error ? (
          <Failure error={error} />
        ) : one ? (
          <ResultView
            key={selected}
            one={one}
            lineOf={lineOf}
            isArriving={isRunning && selected === results.length - 1}
            chart={chart}
            onChart={onChart}
          />
        ) : outcome ? (
          <p className="p-3 text-[13px] text-ink-soft">There was no statement to run.</p>
        ) : isRunning ? null : (
          <Empty icon={SquareTerminal} title="Results appear here">
            Run the script with {shortcut('Enter')}. Select a part of it to run only that.
          </Empty>
        )}
      </div>
    </div>
  )
}
