import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ArrowRightLeft, Circle, Database, type LucideIcon, Mail, Send } from 'lucide-react'
import { Facts } from '../../components/page.tsx'
import { duration } from '../../lib/format.ts'
import type { RequestTree } from './queries.ts'
import { endOf, type Line, linesOf } from './spans.ts'

const ICONS: Readonly<Record<string, LucideIcon>> = { sql: Database, mail: Mail, call: Send }

/** A request's parts on a time axis; each expands to show details. */
export function Waterfall({ request, source }: { request: RequestTree; source: 'file' | undefined }) {
  const lines = linesOf(request)
  const end = endOf(lines)
  return (
    <div className="overflow-hidden rounded-lg border bg-raised">
      <div aria-hidden className="flex border-b px-3 py-1 text-ink-faint text-xs">
        <span className="w-2/5">Work</span>
        <span className="flex flex-1 justify-between pr-20">
          <span>0 ms</span>
          <span>{duration(end / 2)}</span>
          <span>{duration(end)}</span>
        </span>
      </div>
      {lines.map((line) => (
        <details
          key={line.key}
          className="group border-b last:border-b-0"
          open={lines.length <= 3 && line.kind === 'span'}
        >
          <summary className="flex cursor-pointer list-none items-center px-3 py-1.5 text-[13px] hover:bg-panel">
            <Label line={line} />
            <Bar line={line} end={end} />
            <span className="w-20 shrink-0 text-right text-ink-soft text-xs tabular-nums">
              {duration(line.duration)}
            </span>
          </summary>
          <div className="grid gap-2 border-t bg-page px-3 py-2">
            <Detail line={line} source={source} />
          </div>
        </details>
      ))}
      {request.droppedSpans > 0 ? (
        <p className="px-3 py-2 text-ink-faint text-xs">{request.droppedSpans} more parts were not recorded.</p>
      ) : null}
    </div>
  )
}

const faultOf = (line: Line): string | null =>
  line.kind === 'span' ? line.span.error : line.request.status >= 400 ? `Status ${line.request.status}` : null

function Label({ line }: { line: Line }) {
  const isFailed = faultOf(line) !== null
  const Icon = line.kind === 'request' ? ArrowRightLeft : (ICONS[line.span.kind] ?? Circle)
  return (
    <span className="flex w-2/5 min-w-0 items-center gap-2 pr-3" style={{ paddingLeft: line.depth * 16 }}>
      <Icon aria-hidden className={clsx('size-3.5 shrink-0', isFailed ? 'text-danger' : 'text-ink-faint')} />
      <span className={clsx('truncate', line.kind === 'span' && line.span.kind === 'sql' && 'font-mono text-xs')}>
        {line.kind === 'request' ? `${line.request.method} ${line.request.path}` : line.parts.label}
      </span>
      {isFailed ? <span className="shrink-0 text-danger text-xs">failed</span> : null}
    </span>
  )
}

function Bar({ line, end }: { line: Line; end: number }) {
  const share = (value: number): string => `${Math.min(100, (100 * value) / end)}%`
  return (
    <span aria-hidden className="relative h-3 flex-1">
      <span
        className={clsx(
          'absolute inset-y-0 min-w-0.5 rounded-sm',
          faultOf(line) !== null ? 'bg-danger' : line.kind === 'request' ? 'bg-ink-faint/40' : 'bg-accent',
        )}
        style={{ left: share(Math.min(line.start, end)), width: share(line.duration) }}
      />
    </span>
  )
}

function Detail({ line, source }: { line: Line; source: 'file' | undefined }) {
  if (line.kind === 'request') {
    const { id, service, status, time, spans } = line.request
    return (
      <>
        <Facts
          className="[&_dd]:font-mono"
          facts={[
            ['Status', String(status)],
            ['Service', service],
            ['Began', time],
            ['Request', id],
            ['Parts', String(spans.length)],
          ]}
        />
        {line.depth > 0 ? (
          <Link
            to="/requests/$id"
            params={{ id }}
            search={{ source }}
            className="text-[13px] text-accent hover:underline"
          >
            Open this request
          </Link>
        ) : null}
      </>
    )
  }
  const { span, parts } = line
  return (
    <>
      {span.error === null ? null : (
        <p className="whitespace-pre-wrap break-words font-medium text-[13px] text-danger">{span.error}</p>
      )}
      <Facts className="[&_dd]:font-mono" facts={[...parts.facts, ['Began', `after ${duration(span.start)}`]]} />
      {span.kind === 'sql'
        ? span.statements.map(({ text, parameters, rows }, index) => (
            <div key={index} className="grid gap-1">
              <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border bg-raised p-2 font-mono text-xs">
                {text}
              </pre>
              {parameters.length > 0 ? (
                <Facts
                  className="[&_dd]:font-mono"
                  facts={parameters.map((value, at) => [`$${at + 1}`, value] as const)}
                />
              ) : null}
              {rows === null ? null : <p className="text-ink-faint text-xs">{rows === 1 ? '1 row' : `${rows} rows`}</p>}
            </div>
          ))
        : null}
    </>
  )
}
