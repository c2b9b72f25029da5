import { ChartColumn } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { Checkbox, Select } from '../../components/field.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import type { StatementResult } from '../../lib/api.ts'
import { type Chart, chartOf, dataOf, isNumber, MAX_SERIES } from './chart.ts'

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
export function ChartView({ result, wanted, onChange }: ChartViewProps) {
  const chart = useMemo(() => chartOf(result, wanted), [result, wanted])
  const data = useMemo(() => chart && dataOf(result, chart), [result, chart])
  if (!chart || !data)
    return (
      <Empty icon={ChartColumn} title="There is nothing to draw">
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
            onChange={({ target }) => onChange({ ...chart, kind: target.value as Chart['kind'] })}
          >
            {KINDS.map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </Select>
        </span>
        <span className="flex items-center gap-1.5">
          <span aria-hidden>X</span>
          <Select
            aria-label="Column along the x axis"
            value={chart.x}
            className="w-auto! max-w-48"
            onChange={({ target }) => onChange({ ...chart, x: target.value })}
          >
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
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
                // One column at least, and as many as there are colours.
                disabled={isDrawn ? chart.y.length === 1 : chart.y.length >= MAX_SERIES}
                onChange={() =>
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
