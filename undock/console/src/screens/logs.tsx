import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ScrollText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { FollowButton } from '../components/button.tsx'
import { FilterBar, SearchFilter, SelectFilter } from '../components/filters.tsx'
import { LineList } from '../components/line-list.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Loading } from '../components/states.tsx'
import { type NumberedLine, useLogs } from '../features/logs/use-logs.ts'
import { projectQuery } from '../lib/api.ts'
import { counted, timeOfDay } from '../lib/format.ts'
import { useSearchChange, useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/logs')

const LEVELS = { info: 0, warn: 1, error: 2 } as const

/** The live log of all services. */
export function Logs() {
  const { service, level, text, request } = route.useSearch()
  const [isFollowing, setIsFollowing] = useState(true)
  const { lines, isLive } = useLogs(isFollowing)
  const { data: project } = useQuery(projectQuery)
  const isFound = useTextFilter(text)
  const shown = useMemo(
    () =>
      (lines ?? []).filter(
        (line) =>
          (service === undefined || line.service === service || line.fields.service === service) &&
          LEVELS[line.level] >= LEVELS[level ?? 'info'] &&
          (request === undefined || line.fields.requestId === request) &&
          isFound(textOf(line)),
      ),
    [lines, service, level, request, isFound],
  )
  const services = new Set([...(project?.services ?? []), ...(lines ?? []).map((line) => line.service)])
  if (service) services.add(service)
  const change = useSearchChange()
  return (
    <Page
      title="Logs"
      subtitle={isFollowing ? (isLive ? 'live' : 'the backend does not answer') : 'paused'}
      actions={
        <>
          <PageLink to="/logs/sql">In SQL</PageLink>
          <FollowButton isFollowing={isFollowing} onClick={() => setIsFollowing(!isFollowing)} />
        </>
      }
    >
      <div className="flex h-full flex-col">
        <FilterBar found={counted(shown.length, 'line')}>
          <SearchFilter label="Search the log" placeholder="Text of a line" />
          <SelectFilter name="service" label="Service" none="All services" options={[...services].sort()} />
          <SelectFilter
            name="level"
            label="Level"
            initial="info"
            options={[
              ['info', 'All levels'],
              ['warn', 'Warnings and errors'],
              ['error', 'Errors'],
            ]}
          />
          {request === undefined ? null : (
            <span className="inline-flex h-8 items-center gap-2 rounded-md border bg-raised px-2.5 text-xs">
              Request {request.slice(0, 8)}
              <button type="button" className="text-accent" onClick={() => change({ request: undefined })}>
                Show all
              </button>
            </span>
          )}
        </FilterBar>
        {lines === null ? (
          <Loading />
        ) : shown.length === 0 ? (
          <Empty icon={ScrollText} title={lines.length === 0 ? 'Nothing is logged yet' : 'No matching lines'}>
            {lines.length === 0
              ? 'Each service writes a line here for what it does and for what goes wrong.'
              : 'None of the last lines matches all filters. `undock logs` prints older ones.'}
          </Empty>
        ) : (
          <LineList label="Lines of the log" items={shown} keyOf={({ number }) => number} followsEnd>
            {(line) => <Line line={line} />}
          </LineList>
        )}
      </div>
    </Page>
  )
}

const textOf = ({ message, service, trace, fields }: NumberedLine): string =>
  `${service} ${message} ${Object.values(fields).join(' ')} ${trace ?? ''}`

function Line({ line: { time, service, level, message, fields, trace } }: { line: NumberedLine }) {
  const { requestId, ...rest } = fields
  return (
    <div className={clsx('flex gap-3 px-4 py-1 font-mono text-xs', level === 'error' && 'bg-danger-soft')}>
      <span className="shrink-0 text-ink-faint tabular-nums">{timeOfDay(time)}</span>
      <span className="w-20 shrink-0 truncate text-ink-soft">{service}</span>
      <span
        className={clsx(
          'w-10 shrink-0',
          level === 'error' ? 'text-danger' : level === 'warn' ? 'text-warn' : 'text-ink-faint',
        )}
      >
        {level}
      </span>
      <div className="min-w-0 flex-1">
        <p className="whitespace-pre-wrap break-words">
          {message}
          {Object.entries(rest).map(([name, value]) => (
            <span key={name} className="ml-2 text-ink-faint">
              {name}={String(value)}
            </span>
          ))}
        </p>
        {trace ? (
          <details className="text-ink-soft">
            <summary className="cursor-pointer">Where it happened</summary>
            <pre className="overflow-auto whitespace-pre-wrap">{trace}</pre>
          </details>
        ) : null}
      </div>
      {typeof requestId === 'string' ? (
        <Link
          to="/requests/$id"
          params={{ id: requestId }}
          preload={false}
          className="shrink-0 text-accent hover:underline"
        >
          {requestId.slice(0, 8)}
          <span className="sr-only">: open the request</span>
        </Link>
      ) : null}
    </div>
  )
}
