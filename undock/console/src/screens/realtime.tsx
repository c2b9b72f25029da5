import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Radio, Trash2, Unplug } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { FollowButton, IconButton } from '../components/button.tsx'
import { FilterBar, SearchFilter, SelectFilter } from '../components/filters.tsx'
import { Page } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import type { Question } from '../features/policies/queries.ts'
import { ChannelForm } from '../features/realtime/channel-form.tsx'
import { ClientList } from '../features/realtime/client-list.tsx'
import { MessageList } from '../features/realtime/message-list.tsx'
import { type ConnectedClients, clientsQuery } from '../features/realtime/queries.ts'
import { Refusal } from '../features/realtime/refusal.tsx'
import { type SendKind, SendPanel } from '../features/realtime/send-panel.tsx'
import { channelOf, KINDS, type RealtimeSearch } from '../features/realtime/settings.ts'
import {
  type Channel,
  type ChannelState,
  MAX_MESSAGES,
  type Message,
  type SendOutcome,
  useChannel,
} from '../features/realtime/use-channel.ts'
import { projectQuery } from '../lib/api.ts'
import { count, counted } from '../lib/format.ts'
import { useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/realtime')

/** Channels joined as any caller, and the connected clients. */
export function RealtimeScreen() {
  const search = route.useSearch()
  const { data: project } = useQuery(projectQuery)
  const channel = useChannel(channelOf(search))
  if (project && !project.services.includes('realtime'))
    return (
      <Empty icon={Unplug} title="Realtime is turned off">
        Set <code className="font-mono text-xs">enabled = true</code> in [realtime] of supabase/config.toml, and start
        the backend again.
      </Empty>
    )
  return (
    <Page title="Realtime" subtitle={search.view === 'clients' ? null : stateText(channel.state)} actions={<Views />}>
      {search.view === 'clients' ? <Clients /> : <Inspector channel={channel} />}
    </Page>
  )
}

function Views() {
  const search = route.useSearch()
  const isClients = search.view === 'clients'
  const look = (isCurrent: boolean) =>
    `rounded-md px-2.5 py-1.5 text-[13px] ${isCurrent ? 'bg-raised font-medium shadow-xs' : 'text-ink-soft hover:text-ink'}`
  return (
    <nav aria-label="Views" className="flex gap-1 rounded-lg bg-panel p-0.5">
      <Link
        to="/realtime"
        search={{ ...search, view: undefined }}
        activeOptions={{ explicitUndefined: true }}
        className={look(!isClients)}
      >
        Channel
      </Link>
      <Link to="/realtime" search={{ ...search, view: 'clients' }} className={look(isClients)}>
        Connected
      </Link>
    </nav>
  )
}

function stateText(state: ChannelState): string {
  switch (state.status) {
    case 'idle':
      return 'no channel is joined'
    case 'joining':
      return 'joining …'
    case 'joined':
      return 'joined'
    case 'lost':
      return 'the connection is lost; trying again'
    case 'refused':
      return 'refused'
    case 'closed':
      return 'closed by the service'
  }
}

type Refused = { readonly kind: SendKind; readonly outcome: SendOutcome }

function Inspector({ channel }: { channel: Channel }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [refused, setRefused] = useState<Refused>()
  const asked = channelOf(search)
  return (
    <SplitPane
      label="Channel"
      className="w-72"
      isChosen={channel.state.status !== 'idle'}
      side={
        <div className="space-y-4 p-4">
          <ChannelForm
            key={JSON.stringify(asked)}
            channel={asked}
            onJoin={(next) => {
              setRefused(undefined)
              const { view, kind, text } = search
              if (JSON.stringify(next) === JSON.stringify(asked)) channel.rejoin()
              else void navigate({ search: { ...next, view, kind, text } })
            }}
            onLeave={() => void navigate({ search: (before) => ({ ...before, join: undefined }) })}
          />
          <div className="border-t pt-4">
            <SendPanel channel={channel} onRefused={(kind, outcome) => setRefused({ kind, outcome })} />
          </div>
        </div>
      }
    >
      <div className="flex h-full min-w-0 flex-col">
        {'reason' in channel.state ? (
          <Refusal reason={channel.state.reason} question={joinQuestion(search, channel.state.reason)} />
        ) : refused ? (
          <Refusal
            reason={sendReason(refused)}
            question={sendQuestion(search, refused)}
            onClose={() => setRefused(undefined)}
          />
        ) : null}
        <Messages channel={channel} />
      </div>
    </SplitPane>
  )
}

/** For channels with policies, their result for the caller and topic. */
function joinQuestion({ private: isPrivate, as = 'service_role', topic }: RealtimeSearch, reason: string) {
  return isPrivate && reason.startsWith('Unauthorized') ? { as, action: 'listen', target: topic } : null
}

function sendQuestion(
  { private: isPrivate, as = 'service_role', topic }: RealtimeSearch,
  { kind }: Refused,
): Question | null {
  return isPrivate ? { as, action: 'send', target: topic, row: JSON.stringify({ extension: kind }) } : null
}

const sendReason = ({ kind, outcome }: Refused): string =>
  outcome === 'unanswered'
    ? `Realtime did not answer the ${kind === 'broadcast' ? 'broadcast' : 'change of presence'}. It does not answer callers who may not send.`
    : `Realtime refused the ${kind === 'broadcast' ? 'broadcast' : 'change of presence'}.`

function Messages({ channel: { messages, clear, state } }: { channel: Channel }) {
  const { kind, text } = route.useSearch()
  const [paused, setPaused] = useState<readonly Message[]>()
  const known = paused ?? messages
  const isFound = useTextFilter(text)
  const shown = useMemo(
    () => known.filter((one) => (kind === undefined || one.kind === kind) && isFound(`${one.title} ${one.payload}`)),
    [known, kind, isFound],
  )
  return (
    <>
      <FilterBar
        found={`${shown.length === MAX_MESSAGES ? 'the last ' : ''}${counted(shown.length, 'message')}`}
        after={
          <>
            <FollowButton isFollowing={!paused} onClick={() => setPaused(paused ? undefined : messages)} />
            <IconButton
              icon={Trash2}
              label="Clear"
              onClick={() => {
                clear()
                setPaused(undefined)
              }}
            />
          </>
        }
      >
        <SearchFilter label="Search messages" placeholder="Event or payload" className="w-40!" />
        <SelectFilter name="kind" label="Kind" none="All kinds" options={KINDS} />
      </FilterBar>
      {shown.length > 0 ? (
        <MessageList messages={shown} />
      ) : (
        <NoMessages isFiltered={known.length > 0} status={state.status} />
      )}
    </>
  )
}

function NoMessages({ isFiltered, status }: { isFiltered: boolean; status: ChannelState['status'] }): ReactNode {
  if (isFiltered)
    return (
      <Empty icon={Radio} title="No matching messages">
        None of the recorded messages matches all filters.
      </Empty>
    )
  switch (status) {
    case 'idle':
      return (
        <Empty icon={Radio} title="Join a channel">
          Name its topic, and choose whom to join as. Broadcasts, presence and row changes appear here as that caller
          gets them. The address of this page keeps the settings: share it, or open it again.
        </Empty>
      )
    case 'joined':
      return (
        <Empty icon={Radio} title="Nothing has arrived yet">
          Send a broadcast here or from your app, or change a row of a table that the channel listens to.
        </Empty>
      )
    default:
      return null
  }
}

function Clients() {
  const { search } = route.useSearch()
  const { data, error, refetch } = useQuery(clientsQuery(search ?? ''))
  return (
    <div className="flex h-full flex-col">
      <FilterBar found={data && foundText(data)}>
        <SearchFilter name="search" label="Search clients" placeholder="Role, user or topic" />
      </FilterBar>
      <div className="min-h-0 flex-1 overflow-auto">
        {!data ? (
          <Pending error={error} onRetry={refetch} />
        ) : data.clients.length > 0 ? (
          <ClientList clients={data.clients} />
        ) : (
          <Empty icon={Radio} title={data.connected > 0 ? 'No matching clients' : 'No clients connected'}>
            {data.connected > 0
              ? 'The search finds parts of roles, of addresses and ids of users, and of topics.'
              : 'Each app that has joined a channel appears here, with its user, its channels and the row changes that it listens to.'}
          </Empty>
        )}
      </div>
    </div>
  )
}

const foundText = ({ found, connected, clients: { length: shown } }: ConnectedClients): string =>
  `${found === connected ? '' : `${count(found)} of `}${counted(connected, 'client')}${found > shown ? `, the newest ${count(shown)} are shown` : ''}`
