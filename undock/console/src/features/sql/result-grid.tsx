import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { StatementResult } from '../../lib/api.ts'

const ROW_HEIGHT = 28

/** The rows of a result. Only those in sight are in the page. */
export function ResultGrid({ result }: { result: StatementResult }) {
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: result.rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 15,
  })
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
      <div className="relative" style={{ height: virtual.getTotalSize(), width }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
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
