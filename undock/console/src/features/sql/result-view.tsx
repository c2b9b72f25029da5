import { useVirtualizer } from '@tanstack/react-virtual'
import { Download } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import type { ScriptResult, StatementResult } from '../../lib/api.ts'
import { counted, duration } from '../../lib/format.ts'
import { toCsv } from './csv.ts'
import { PlanTree, readPlan } from './plan.tsx'

/** What one statement of a script has answered. */
export function ResultView({ one }: { one: ScriptResult }) {
  if ('error' in one) {
    const { message, code, detail, hint, where } = one.error
    return (
      <div role="alert" className="m-3 rounded-md border border-danger/30 bg-danger-soft p-3 text-[13px]">
        <p className="font-medium">
          {message} <code className="ml-1 text-ink-faint text-xs">{code}</code>
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
  return <ResultGrid result={result} />
}

const ROW_HEIGHT = 28

function ResultGrid({ result }: { result: StatementResult }) {
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
  const save = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([toCsv(result)], { type: 'text/csv' }))
    link.download = 'result.csv'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center justify-between border-b px-3 py-1">
        <p role="status" className="text-ink-faint text-xs">
          {counted(result.rows.length, 'row')} in {duration(result.duration)}
          {result.isPartial ? '. There are more: add a limit, or save what is here.' : ''}
        </p>
        <Button look="quiet" onClick={save}>
          <Download aria-hidden />
          CSV
        </Button>
      </div>
      <section
        ref={box}
        aria-label="Result"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto text-[13px]"
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
    </div>
  )
}
