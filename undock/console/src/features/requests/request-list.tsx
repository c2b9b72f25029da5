import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { duration, timeOfDay } from '../../lib/format.ts'
import { useRows } from '../../lib/use-rows.ts'
import type { RequestSummary } from './queries.ts'

const ROW_HEIGHT = 32
const GRID =
  'grid grid-cols-[6rem_3rem_4.5rem_minmax(0,1fr)_5rem] items-center gap-3 px-4 xl:grid-cols-[6rem_3rem_4.5rem_minmax(0,1fr)_6rem_8rem_4rem_5rem]'

/** Requests as lines with links to their pages. Arrow keys move between them. */
export function RequestList({ requests, source }: { requests: readonly RequestSummary[]; source: 'file' | undefined }) {
  const { box, items, total, walk } = useRows<HTMLDivElement>({
    count: requests.length,
    height: ROW_HEIGHT,
    overscan: 20,
    keyOf: (index) => requests[index]?.id ?? '',
  })
  return (
    <div className="flex h-full flex-col">
      <div aria-hidden className={clsx(GRID, 'border-b py-1.5 text-ink-faint text-xs')}>
        <span>Time</span>
        <span>Status</span>
        <span>Method</span>
        <span>Path</span>
        <span className="hidden xl:block">Service</span>
        <span className="hidden xl:block">Caller</span>
        <span className="hidden text-right xl:block">SQL</span>
        <span className="text-right">Duration</span>
      </div>
      <div ref={box} className="min-h-0 flex-1 overflow-auto">
        <ul aria-label="Requests" className="relative" style={{ height: total }} onKeyDown={walk}>
          {items.map(({ index, start, key }) => {
            const one = requests[index]
            if (!one) return null
            return (
              <li key={key} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
                <RequestLine request={one} index={index} source={source} />
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}

function RequestLine({
  request: { id, time, status, method, path, service, caller, statements, duration: lasted },
  index,
  source,
}: {
  request: RequestSummary
  index: number
  source: 'file' | undefined
}) {
  return (
    <Link
      to="/requests/$id"
      params={{ id }}
      search={{ source }}
      preload={false}
      data-row={index}
      className={clsx(GRID, 'h-8 border-b text-[13px] hover:bg-panel focus-visible:outline-offset-[-2px]')}
    >
      <span className="text-ink-faint text-xs tabular-nums">{timeOfDay(time)}</span>
      <Status status={status} />
      <span className="text-ink-soft text-xs">{method}</span>
      <span className="truncate" title={path}>
        {path}
      </span>
      <span className="hidden truncate text-ink-soft text-xs xl:block">{service}</span>
      <span className="hidden truncate text-ink-soft text-xs xl:block">{caller?.role ?? '–'}</span>
      <span className="hidden text-right text-ink-soft text-xs tabular-nums xl:block">{statements}</span>
      <span className="text-right text-ink-soft text-xs tabular-nums">{duration(lasted)}</span>
    </Link>
  )
}

export function Status({ status }: { status: number }) {
  return (
    <span
      className={clsx(
        'font-medium text-xs tabular-nums',
        status >= 500 ? 'text-danger' : status >= 400 ? 'text-warn' : 'text-ink-soft',
      )}
    >
      {status}
    </span>
  )
}
