import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import { useIsDark } from '../../lib/theme.ts'
import type { Chart, ChartData } from './chart.ts'

type ChartPlotProps = {
  data: ChartData
  kind: Chart['kind']
  /** The name of the x axis' column. */
  x: string
}

/** The maximum number of points in the screen readers' table; the result has all of them. */
const MAX_TABLE_POINTS = 200
/** The maximum length of a category's name below the axis. */
const MAX_CHARACTERS = 14

/** A result as a chart, with a slider that shows each point's values. */
export function ChartPlot({ data, kind, x }: ChartPlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const [at, setAt] = useState(0)
  const isDark = useIsDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options read the theme's colors
  useEffect(() => {
    const parent = box.current
    if (!parent) return
    const { clientWidth: width, clientHeight: height } = parent
    const columns = [[...data.x], ...data.series.map(({ values }) => [...values])] as UPlot.AlignedData
    const made = new UPlot({ ...optionsOf(data, kind, parent), width, height }, columns, parent)
    made.over.addEventListener('mousemove', () => setAt(made.cursor.idx ?? 0))
    plot.current = made
    const watcher = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: parent.clientHeight }))
    watcher.observe(parent)
    return () => {
      watcher.disconnect()
      made.destroy()
    }
  }, [data, kind, isDark])
  const moveTo = (index: number) => {
    setAt(index)
    const [value, made] = [data.x[index], plot.current]
    if (made && value !== undefined)
      made.setCursor({ left: made.valToPos(value, 'x'), top: made.over.clientHeight / 2 })
  }
  const values = data.series.map(({ values: all }) => all[at] ?? null)
  const said = [
    `${x} ${pointOf(data, at)}`,
    ...data.series.map(({ name }, index) => `${name} ${values[index] ?? 'none'}`),
  ]
  return (
    <div className="flex min-h-0 flex-1 flex-col p-3">
      <div ref={box} aria-hidden className="min-h-0 flex-1 overflow-hidden" />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-2 text-xs">
        <input
          type="range"
          aria-label="Point of the chart"
          aria-valuetext={said.join(', ')}
          min={0}
          max={Math.max(0, data.x.length - 1)}
          value={at}
          onChange={({ target }) => moveTo(Number(target.value))}
          className="w-40 accent-accent"
        />
        <span className="max-w-60 truncate text-ink-soft">{pointOf(data, at)}</span>
        {data.series.map(({ name }, index) => (
          <span key={name} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 rounded-sm"
              style={{ background: `var(--color-chart-${index + 1})` }}
            />
            {name} <span className="font-mono">{values[index] ?? '–'}</span>
          </span>
        ))}
      </div>
      <table className="sr-only">
        <caption>
          The chart’s values
          {data.x.length > MAX_TABLE_POINTS ? `, the first ${MAX_TABLE_POINTS} of ${data.x.length}` : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">{x}</th>
            {data.series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.x.slice(0, MAX_TABLE_POINTS).map((_, index) => (
            <tr key={index}>
              <th scope="row">{pointOf(data, index)}</th>
              {data.series.map(({ name, values: all }) => (
                <td key={name}>{all[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Describes a point's place on the x axis. */
function pointOf({ x, labels, isTime }: ChartData, index: number): string {
  const value = x[index]
  if (value === undefined) return ''
  if (labels) return labels[index] ?? ''
  if (!isTime) return String(value)
  const iso = new Date(value * 1000).toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : `${iso.slice(0, 19).replace('T', ' ')} UTC`
}

/** Returns a theme's color as a canvas takes it. */
function colorOf(name: string, box: HTMLElement): string {
  box.style.color = `var(--color-${name})`
  return getComputedStyle(box).color
}

function optionsOf(
  { x, labels, isTime, series }: ChartData,
  kind: Chart['kind'],
  box: HTMLElement,
): Omit<UPlot.Options, 'width' | 'height'> {
  const gap = smallestGap(x)
  const isWide = kind === 'bar' || labels !== null
  const axis = {
    stroke: colorOf('ink-soft', box),
    font: '12px "Inter Variable", system-ui, sans-serif',
    grid: { stroke: colorOf('line', box), width: 1 },
    ticks: { stroke: colorOf('line', box), width: 1 },
  }
  return {
    legend: { show: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: {
        time: isTime,
        ...(isWide && { range: (_: UPlot, least: number, most: number) => [least - gap / 2, most + gap / 2] as const }),
      },
      // Bars must start at zero, or proportions would be wrong.
      ...(kind === 'bar' && {
        y: { range: { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1, soft: 0, mode: 1 } } },
      }),
    },
    axes: [
      {
        ...axis,
        ...(labels && {
          space: 90,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000],
          values: (_: UPlot, places: number[]) => places.map((place) => short(labels[place] ?? '')),
        }),
      },
      { ...axis, size: 64 },
    ],
    series: [
      {},
      ...series.map(({ name }, index): UPlot.Series => {
        const stroke = colorOf(`chart-${index + 1}`, box)
        const width = (0.8 * gap) / series.length
        if (kind === 'line') return { label: name, stroke, width: 2, points: { show: x.length < 100 } }
        if (kind === 'scatter')
          return { label: name, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke } }
        return {
          label: name,
          stroke,
          fill: stroke,
          points: { show: false },
          ...barsAt(index, width, 0.4 * gap),
        }
      }),
    ],
  }
}

/** Draws bars next to the other columns'. @param half Half a group's width, in the axis' units. */
function barsAt(index: number, width: number, half: number): Pick<UPlot.Series, 'paths'> {
  const paths = UPlot.paths.bars?.({
    gap: 0,
    disp: {
      x0: { unit: 1, values: ({ data }) => [...data[0]].map((value) => value - half + index * width) },
      size: { unit: 1, values: () => [width] },
    },
  })
  return paths ? { paths } : {}
}

function smallestGap(x: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = 1; index < x.length; index += 1) {
    const gap = (x[index] as number) - (x[index - 1] as number)
    if (gap > 0 && gap < least) least = gap
  }
  return Number.isFinite(least) ? least : 1
}

const short = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
