import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { CornerDownRight, MonitorOff } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { TableHead } from '../../components/page.tsx'
import { Empty, Failure, Pending } from '../../components/states.tsx'
import { refresh } from '../../lib/api.ts'
import { duration } from '../../lib/format.ts'
import { StatementText } from './figure-table.tsx'
import { activityKey, type Session, sessionsQuery, signalSession } from './queries.ts'

/** Milliseconds after which an idle transaction is highlighted: it holds locks and blocks VACUUM. */
const LONG_IDLE = 10_000

type Asked = { readonly how: 'cancel' | 'terminate'; readonly session: Session }

const ACTIONS = { cancel: 'Cancel the statement', terminate: 'End the session' } as const

/** Sessions and their activity, each below the one that blocks it. */
export function SessionList() {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  const lines = useMemo(() => lockTree(data ?? []), [data])
  if (data === undefined) return <Pending error={error} onRetry={refetch} />
  if (data.length === 0)
    return (
      <Empty icon={MonitorOff} title="No connections">
        Sessions of applications and of undock’s services appear here while they are open.
      </Empty>
    )
  return (
    <>
      <Failure error={error} />
      <table aria-label="Sessions" className="w-full text-[13px]">
        <TableHead columns={['Session', 'State', 'Statement']} hasActions className="sticky top-0 z-1 bg-page" />
        <tbody>
          {lines.map((line) => (
            <SessionLine key={line.session.pid} line={line} onAsk={(how) => setAsked({ how, session: line.session })} />
          ))}
        </tbody>
      </table>
      {asked ? (
        <Confirm
          title={`${ACTIONS[asked.how]} of ${asked.session.pid}`}
          action={ACTIONS[asked.how]}
          run={async () => {
            await signalSession(asked.how, asked.session)
            await refresh(activityKey)
          }}
          onClose={() => setAsked(null)}
        >
          {asked.how === 'cancel'
            ? 'Its statement fails and its transaction is rolled back. The session stays.'
            : 'Its transaction is rolled back, and its client loses the connection.'}
          {asked.session.application.startsWith('undock')
            ? ' It belongs to undock: the request that it serves fails, and undock reconnects.'
            : null}
        </Confirm>
      ) : null}
    </>
  )
}

function SessionLine({
  line: { session, depth },
  onAsk,
}: {
  line: LockLine<Session>
  onAsk: (how: Asked['how']) => void
}) {
  const { pid, user, database, application, state, since, transaction, wait, blockers, query } = session
  const isActive = state === 'active' || state === 'fastpath function call'
  const isForgotten = state?.startsWith('idle in transaction') === true && Number(since) > LONG_IDLE
  return (
    <tr className={clsx('border-b align-top [&_td]:px-3 [&_td]:py-1.5', blockers.length > 0 && 'bg-warn-soft')}>
      <td className="whitespace-nowrap">
        <div className="flex gap-1" style={{ paddingInlineStart: `${1.25 * depth}rem` }}>
          {depth > 0 ? <CornerDownRight aria-hidden className="mt-0.5 size-3.5 text-ink-faint" /> : null}
          <div>
            <span className="font-medium tabular-nums">{pid}</span>{' '}
            <span className="text-ink-soft">
              {user}
              {database ? ` · ${database}` : null}
            </span>
            <p className="max-w-48 truncate text-ink-faint text-xs" title={application}>
              {application || 'no name'}
            </p>
          </div>
        </div>
      </td>
      <td className="whitespace-nowrap">
        <span className={clsx(isActive && 'font-medium', isForgotten && 'font-medium text-warn')}>{state ?? '–'}</span>
        {since === null ? null : <span className="text-ink-soft"> for {duration(since)}</span>}
        {transaction !== null && transaction > 1_000 ? (
          <p className="text-ink-faint text-xs">transaction open for {duration(transaction)}</p>
        ) : null}
        {blockers.length > 0 ? (
          <p className="text-warn text-xs">
            waits for {blockers.map((one) => one || 'a prepared transaction').join(', ')}
          </p>
        ) : wait && isActive ? (
          <p className="text-ink-faint text-xs">waits for {wait}</p>
        ) : null}
      </td>
      <td className="w-full min-w-0">{query ? <StatementText text={query} /> : null}</td>
      <td>
        <div className="flex justify-end gap-1">
          {isActive ? (
            <Button aria-label={`Cancel the statement of ${pid}`} onClick={() => onAsk('cancel')}>
              Cancel
            </Button>
          ) : null}
          <Button look="danger" aria-label={`End session ${pid}`} onClick={() => onAsk('terminate')}>
            End
          </Button>
        </div>
      </td>
    </tr>
  )
}

/** @property blockers The processes whose locks it waits for; 0 is a prepared transaction. */
type Waiter = { readonly pid: number; readonly blockers: readonly number[] }

type LockLine<S> = { readonly session: S; readonly depth: number }

/** Orders sessions, each below the one that blocks it: blocking ones first, then in the given order. One with several blockers is below the
 *  first; deadlocked sessions come last, until PostgreSQL ends one. */
export function lockTree<S extends Waiter>(sessions: readonly S[]): readonly LockLine<S>[] {
  const known = new Set(sessions.map(({ pid }) => pid))
  const waiters = Map.groupBy(sessions, ({ blockers }) => blockers.find((pid) => known.has(pid)))
  const lines = new Map<number, LockLine<S>>()
  const place = (session: S, depth: number): void => {
    if (lines.has(session.pid)) return
    lines.set(session.pid, { session, depth })
    for (const waiter of waiters.get(session.pid) ?? []) place(waiter, depth + 1)
  }
  const free = waiters.get(undefined) ?? []
  for (const session of free.filter(({ pid }) => waiters.has(pid))) place(session, 0)
  for (const session of [...free, ...sessions]) place(session, 0)
  return [...lines.values()]
}
