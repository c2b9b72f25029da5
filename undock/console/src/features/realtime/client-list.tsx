import { Link } from '@tanstack/react-router'
import { Lock, Radio } from 'lucide-react'
import { TableHead } from '../../components/page.tsx'
import { time } from '../../lib/format.ts'
import { type ClientCaller, type ConnectedClient, callerText } from './queries.ts'

type JoinedChannel = ConnectedClient['channels'][number]

/** Connected clients and their channels. */
export function ClientList({ clients }: { clients: readonly ConnectedClient[] }) {
  return (
    <table className="w-full table-fixed text-[13px]">
      <TableHead
        cell="py-1.5"
        columns={[
          ['Caller', 'w-64 px-4'],
          ['Connected', 'w-44'],
          ['Channels', 'pr-4'],
        ]}
      />
      <tbody>
        {clients.map(({ caller, carrier, connectedAt, channels }, index) => (
          <tr key={index} className="border-b align-top">
            <td className="break-words px-4 py-2">
              <Caller caller={caller} />
            </td>
            <td className="py-2 text-ink-soft text-xs">
              {time(connectedAt)}
              {carrier === 'websocket' ? null : <span className="block text-ink-faint">by {carrier}</span>}
            </td>
            <td className="py-2 pr-4">
              {channels.length === 0 ? (
                <span className="text-ink-faint">no channel</span>
              ) : (
                <ul className="grid gap-2">
                  {channels.map((channel) => (
                    <li key={channel.topic}>
                      <JoinedLine channel={channel} isOther={callerText(channel.caller) !== callerText(caller)} />
                    </li>
                  ))}
                </ul>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Caller = ({ caller }: { caller: ClientCaller }) =>
  caller.user === null ? (
    caller.role
  ) : (
    <Link to="/users/$id" params={{ id: caller.user }} className="text-accent hover:underline">
      {callerText(caller)}
    </Link>
  )

function JoinedLine({
  channel: { topic, isPrivate, caller, presenceKey, present, changes },
  isOther,
}: {
  channel: JoinedChannel
  isOther: boolean
}) {
  const Icon = isPrivate ? Lock : Radio
  return (
    <div className="min-w-0">
      <p className="flex items-center gap-1.5">
        <Icon aria-label={isPrivate ? 'private' : 'public'} className="size-3.5 shrink-0 text-ink-faint" />
        <Link
          to="/realtime"
          search={{ topic, join: true, ...(isPrivate ? { private: true } : {}) }}
          title="Join this channel"
          className="truncate text-accent hover:underline"
        >
          {topic}
        </Link>
        {isOther ? (
          <span className="text-ink-faint text-xs">
            as <Caller caller={caller} />
          </span>
        ) : null}
      </p>
      {present === null ? null : (
        <p className="truncate text-ink-soft text-xs" title={JSON.stringify(present).slice(0, 2_000)}>
          present as {presenceKey}: <span className="font-mono">{JSON.stringify(present).slice(0, 300)}</span>
        </p>
      )}
      {changes.map((change, index) => (
        <p key={index} className="truncate text-ink-soft text-xs">
          row changes: {changeText(change)}
        </p>
      ))}
    </div>
  )
}

/** Sent by the client, so it can be anything. */
function changeText({ event, schema, table, filter }: Readonly<Record<string, unknown>>): string {
  const name = [schema, table].filter((part) => part !== undefined).map(String)
  return `${event === undefined || event === '*' ? 'all' : String(event)} of ${name.join('.')}${filter ? ` where ${String(filter)}` : ''}`
}
