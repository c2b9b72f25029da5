import { ChartColumn, Copy, Download, Table2 } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Checkbox, Select } from '../../components/field.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import type { StatementResult } from '../../lib/api.ts'
import { saveFile } from '../../lib/browser.ts'
import { counted, duration } from '../../lib/format.ts'
import { useStored } from '../../lib/state.ts'
import { useRows } from '../../lib/use-rows.ts'
import { type Chart, chartOf, dataOf, isNumber, MAX_SERIES } from './chart.ts'
import { FORMATS } from './formats.ts'
import { PlanTree, readPlan } from './plan.tsx'
import type { FailedResult, ScriptResult } from './run-script.ts'

type ResultViewProps = {
  one: ScriptResult
  /** The editor's line in which a statement failed. */
  lineOf: (failed: FailedResult) => number
  /** More of the result is still arriving. */
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
            icon={Table2}
            label="Table"
            aria-pressed={!isChart}
            className="aria-pressed:bg-accent-soft"
            onClick={() => chart && onChart({ ...chart, isShown: false })}
          />
          <IconButton
            icon={ChartColumn}
            label="Chart"
            aria-pressed={isChart}
            className="aria-pressed:bg-accent-soft"
            onClick={() => onChart({ ...(shown ?? NO_CHART), isShown: true })}
          />
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

/** Copies a result or saves it as a file. */
function Export({ result }: { result: StatementResult }) {
  const [chosen, choose] = useStored('undock-result-format', 'CSV')
  const format = FORMATS.find(({ name }) => name === chosen) ?? FORMATS[0]
  if (!format) return null
  return (
    <div className="flex items-center gap-1">
      <Select
        aria-label="Format"
        value={format.name}
        onValue={choose}
        className="w-auto!"
        options={FORMATS.map(({ name }) => name)}
      />
      <Button
        icon={Copy}
        look="quiet"
        onClick={() =>
          void navigator.clipboard
            .writeText(format.write(result))
            .then(() => tellDone(`Copied ${counted(result.rows.length, 'row')} as ${format.name}.`), tellFailure)
        }
      >
        Copy
      </Button>
      <Button
        icon={Download}
        look="quiet"
        onClick={() => saveFile(`result.${format.extension}`, format.type, format.write(result))}
      >
        Download
      </Button>
    </div>
  )
}

const ROW_HEIGHT = 28

/** A result's rows. Only visible ones are rendered. */
function ResultGrid({ result }: { result: StatementResult }) {
  const { box, items, total } = useRows<HTMLElement>({ count: result.rows.length, height: ROW_HEIGHT, overscan: 15 })
  const widths = result.fields.map(({ name }, column) =>
    Math.min(
      360,
      Math.max(80, 8 * Math.max(name.length, ...result.rows.slice(0, 50).map((row) => row[column]?.length ?? 4)) + 24),
    ),
  )
  const width = widths.reduce((sum, one) => sum + one, 0)
  return (
    <section
      ref={box}
      aria-label="Result"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="h-full overflow-auto text-[13px]"
    >
      <div className="sticky top-0 z-1 flex border-b bg-panel" style={{ width }}>
        {result.fields.map(({ name }, column) => (
          <div key={column} className="shrink-0 truncate px-2 py-1 font-medium" style={{ width: widths[column] }}>
            {name}
          </div>
        ))}
      </div>
      <div className="relative" style={{ height: total, width }}>
        {items.map(({ index, start }) => (
          <div
            key={index}
            className="absolute top-0 left-0 flex h-7 border-line/60 border-b"
            style={{ transform: `translateY(${start}px)` }}
          >
            {result.rows[index]?.map((cell, column) => (
              <div
                key={column}
                className="shrink-0 truncate px-2 py-1"
                style={{ width: widths[column] }}
                title={cell === null ? undefined : cell.slice(0, 2_000)}
              >
                {cell === null ? <span className="text-ink-faint italic">null</span> : cell.slice(0, 300)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </section>
  )
}

const ChartPlot = lazy(async () => ({ default: (await import('./chart-plot.tsx')).ChartPlot }))

const KINDS = [
  ['bar', 'Bars'],
  ['line', 'Line'],
  ['scatter', 'Points'],
] as const

type ChartViewProps = {
  result: StatementResult
  wanted: Chart | undefined
  onChange: (chart: Chart) => void
}

/** A result as a chart, with its settings. */
function ChartView({ result, wanted, onChange }: ChartViewProps) {
  const chart = useMemo(() => chartOf(result, wanted), [result, wanted])
  const data = useMemo(() => chart && dataOf(result, chart), [result, chart])
  if (!chart || !data)
    return (
      <Empty icon={ChartColumn} title="Nothing to draw">
        A chart needs a column of numbers and another column.
      </Empty>
    )
  const names = [...new Set(result.fields.map(({ name }) => name))]
  const numbers = [...new Set(result.fields.filter(isNumber).map(({ name }) => name))]
  return (
    <div className="flex h-full min-h-56 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 pt-2 text-ink-soft text-xs">
        <span className="flex items-center gap-1.5">
          <span aria-hidden>Kind</span>
          <Select
            aria-label="Kind of the chart"
            value={chart.kind}
            className="w-auto!"
            onValue={(value) => onChange({ ...chart, kind: value as Chart['kind'] })}
            options={KINDS}
          />
        </span>
        <span className="flex items-center gap-1.5">
          <span aria-hidden>X</span>
          <Select
            aria-label="Column along the x axis"
            value={chart.x}
            className="w-auto! max-w-48"
            onValue={(x) => onChange({ ...chart, x })}
            options={names}
          />
        </span>
        <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <legend className="float-left mr-1.5">Y</legend>
          {numbers.map((name) => {
            const isDrawn = chart.y.includes(name)
            return (
              <Checkbox
                key={name}
                label={name}
                checked={isDrawn}
                // At least one column, and at most one for each color.
                disabled={isDrawn ? chart.y.length === 1 : chart.y.length >= MAX_SERIES}
                onChecked={() =>
                  onChange({ ...chart, y: isDrawn ? chart.y.filter((one) => one !== name) : [...chart.y, name] })
                }
              />
            )
          })}
        </fieldset>
      </div>
      {data.x.length === 0 ? (
        <p className="p-3 text-[13px] text-ink-soft">There is no row with a value to draw.</p>
      ) : (
        <Suspense fallback={<Loading />}>
          <ChartPlot data={data} kind={chart.kind} x={chart.x} />
        </Suspense>
      )}
    </div>
  )
}
