import clsx from 'clsx'
import { type PointerEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { counted, timeOfDay } from '../../lib/format.ts'
import type { Bucket, TimeRange } from './log-tables.ts'

type HistogramProps = {
  buckets: readonly Bucket[]
  range: TimeRange | null
  onRange: (range: TimeRange | null) => void
}

const clock = (at: number): string => timeOfDay(new Date(at).toISOString()).slice(0, 8)

/** Requests by time. Select a period by dragging, or with a click and a Shift-click. */
export function Histogram({ buckets, range, onRange }: HistogramProps) {
  /** The bars between which the pointer is dragged. */
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const most = Math.max(1, ...buckets.map(({ requests }) => requests))
  const width = buckets.length > 1 ? (buckets[1]?.at ?? 0) - (buckets[0]?.at ?? 0) : 1_000
  const between = (one: number, other: number): TimeRange => {
    const [first, last] = one < other ? [one, other] : [other, one]
    return { from: buckets[first]?.at ?? 0, to: (buckets[last]?.at ?? 0) + width }
  }
  const selection = dragged ? between(dragged.from, dragged.to) : range
  const isChosen = ({ at }: Bucket) => selection === null || (at >= selection.from && at < selection.to)
  const firstChosen = range ? buckets.findIndex(isChosen) : -1
  const indexAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width: all } = currentTarget.getBoundingClientRect()
    return Math.min(buckets.length - 1, Math.max(0, Math.floor(((clientX - left) / all) * buckets.length)))
  }
  return (
    <section aria-label="Requests by time" className="border-b px-3 py-2">
      <div
        className="flex h-14 touch-none items-end gap-px"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragged({ from: indexAt(event), to: indexAt(event) })
        }}
        onPointerMove={(event) => {
          if (dragged) setDragged({ ...dragged, to: indexAt(event) })
        }}
        onPointerCancel={() => setDragged(null)}
        onPointerUp={(event) => {
          if (dragged) onRange(between(event.shiftKey && firstChosen >= 0 ? firstChosen : dragged.from, indexAt(event)))
          setDragged(null)
        }}
      >
        {buckets.map((bucket, index) => (
          <button
            key={bucket.at}
            type="button"
            aria-pressed={selection !== null && isChosen(bucket)}
            aria-label={`${clock(bucket.at)}: ${counted(bucket.requests, 'request')}, ${bucket.failed} failed`}
            title={`${clock(bucket.at)}: ${counted(bucket.requests, 'request')}, ${bucket.failed} failed`}
            className={clsx('group flex h-full min-w-0 flex-1 flex-col-reverse', !isChosen(bucket) && 'opacity-35')}
            // The pointer is handled above; these are key presses.
            onClick={({ detail, shiftKey }) => {
              if (detail === 0) onRange(between(shiftKey && firstChosen >= 0 ? firstChosen : index, index))
            }}
          >
            <span className="bg-danger" style={{ height: `${(100 * bucket.failed) / most}%` }} />
            <span
              className="bg-accent group-hover:brightness-110"
              style={{ height: `${(100 * (bucket.requests - bucket.failed)) / most}%` }}
            />
          </button>
        ))}
      </div>
      <div className="mt-1 flex min-h-8 items-center gap-3 text-ink-faint text-xs">
        <span>{clock(buckets[0]?.at ?? 0)}</span>
        <span className="mx-auto flex items-center gap-2" role="status">
          {selection
            ? `From ${clock(selection.from)} to ${clock(selection.to)}`
            : 'Drag over the bars to choose a part of the time'}
          {range ? <Button onClick={() => onRange(null)}>All</Button> : null}
        </span>
        <span>{clock((buckets.at(-1)?.at ?? 0) + width)}</span>
      </div>
    </section>
  )
}
