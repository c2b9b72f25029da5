import { ChartColumn, Copy, Download, Table2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { Select } from '../../components/field.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import type { StatementResult } from '../../lib/api.ts'
import { counted, duration } from '../../lib/format.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useStored } from '../../lib/use-stored.ts'
import { type Chart, chartOf } from './chart.ts'
import { ChartView } from './chart-view.tsx'
import { FORMATS } from './formats.ts'
import { PlanTree, readPlan } from './plan.tsx'
import { ResultGrid } from './result-grid.tsx'
import type { FailedResult, ScriptResult } from './run-script.ts'

type ResultViewProps = {
  one: ScriptResult
  /** The line of the editor in which a statement has failed. */
  lineOf: (failed: FailedResult) => number
  /** More of the result is on its way. */
  isArriving: boolean
  chart: Chart | undefined
  onChart: (chart: Chart) => void
}

/** The result of one statement of a script. */
export function ResultView({ one, lineOf, isArriving, chart, onChart }: ResultViewProps) {
  if ('error' in one) {
    const { message, code, detail, hint, where } = one.error
    return (
      <div role="alert" className="m-3 rounded-md border border-danger/30 bg-danger-soft p-3 text-[13px]">
        <p className="font-medium">
          Line {lineOf(one)}: {message} <code className="ml-1 text-ink-faint text-xs">{code}</code>
        </p>
        {[detail, hint && `Hint: ${hint}`, where].filter(Boolean).map((text) => (
          <p key={text} className="whitespace-pre-wrap text-ink-soft">
            {text}
          </p>
        ))}
      </div>
    )
  }
  const { result } = one
  const plan = result.fields[0]?.name === 'QUERY PLAN' ? readPlan(result.rows[0]?.[0]) : null
  if (plan) return <PlanTree plan={plan} />
  if (result.fields.length === 0)
    return (
      <p className="p-3 text-[13px] text-ink-soft">
        {result.command || 'Done'}
        {result.count === null ? '' : `, ${counted(result.count, 'row')}`} in {duration(result.duration)}
      </p>
    )
  const shown = chartOf(result, chart)
  const isChart = (shown ?? chart)?.isShown === true
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1">
        <p role="status" className="mr-auto text-ink-faint text-xs">
          {counted(result.rows.length, 'row')} {isArriving ? 'so far' : `in ${duration(result.duration)}`}
          {result.isPartial && !isArriving
            ? '. The result has more rows: choose more of them above, or add a condition.'
            : ''}
        </p>
        <fieldset aria-label="View" className="flex">
          <IconButton
            label="Table"
            aria-pressed={!isChart}
            className="aria-pressed:bg-accent-soft"
            onClick={() => chart && onChart({ ...chart, isShown: false })}
          >
            <Table2 aria-hidden />
          </IconButton>
          <IconButton
            label="Chart"
            aria-pressed={isChart}
            className="aria-pressed:bg-accent-soft"
            onClick={() => onChart({ ...(shown ?? NO_CHART), isShown: true })}
          >
            <ChartColumn aria-hidden />
          </IconButton>
        </fieldset>
        {isArriving ? null : <Export result={result} />}
      </div>
      <div className="min-h-0 flex-1">
        {isChart ? <ChartView result={result} wanted={chart} onChange={onChart} /> : <ResultGrid result={result} />}
      </div>
    </div>
  )
}

const NO_CHART: Chart = { isShown: true, kind: 'bar', x: '', y: [] }

/** Copies a result, or saves it as a file. */
function Export({ result }: { result: StatementResult }) {
  const [chosen, choose] = useStored('undock-result-format', 'CSV')
  const format = FORMATS.find(({ name }) => name === chosen) ?? FORMATS[0]
  if (!format) return null
  return (
    <div className="flex items-center gap-1">
      <Select
        aria-label="Format"
        value={format.name}
        onChange={({ target }) => choose(target.value)}
        className="w-auto!"
      >
        {FORMATS.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <Button
        look="quiet"
        onClick={() =>
          void navigator.clipboard
            .writeText(format.write(result))
            .then(() => tellDone(`Copied ${counted(result.rows.length, 'row')} as ${format.name}.`), tellFailure)
        }
      >
        <Copy aria-hidden />
        Copy
      </Button>
      <Button look="quiet" onClick={() => saveFile(`result.${format.extension}`, format.type, format.write(result))}>
        <Download aria-hidden />
        Download
      </Button>
    </div>
  )
}
