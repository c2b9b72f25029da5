import { type RealtimeChannel, RealtimeClient } from '@supabase/realtime-js'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../lib/api.ts'
import type { ChannelSearch, KINDS } from './settings.ts'

export type MessageKind = (typeof KINDS)[number]

/** @property number Counts messages since the page was opened. @property time ISO 8601, when it arrived here.
 *  @property payload Text of JSON, cut after `MAX_CHARACTERS`. */
export type Message = {
  readonly number: number
  readonly time: string
  readonly kind: MessageKind
  readonly title: string
  readonly payload: string
  readonly isCut: boolean
}

/** @property reason In the service's own words. `refused`: the join was refused; `closed`: the service closed the channel later. */
export type ChannelState =
  | { readonly status: 'idle' | 'joining' | 'joined' | 'lost' }
  | { readonly status: 'refused' | 'closed'; readonly reason: string }

/** The outcome of a sent message. `unanswered`: the service doesn't reply to callers who can't send. */
export type SendOutcome = 'ok' | 'refused' | 'unanswered'

/** The number of messages kept by the page. */
export const MAX_MESSAGES = 1_000
const MAX_CHARACTERS = 20_000
/** Milliseconds between renders, because messages can arrive faster. */
const REDRAW = 100
/** The timeout of a reply in milliseconds. */
const ANSWER_LIMIT = 3_000

type PresenceState = Readonly<Record<string, readonly object[]>>

/** Joins a channel while `search.join` is set, and collects its messages. */
export function useChannel(search: ChannelSearch) {
  const [state, setState] = useState<ChannelState>({ status: 'idle' })
  const [messages, setMessages] = useState<readonly Message[]>([])
  const [present, setPresent] = useState<PresenceState>({})
  const channel = useRef<RealtimeChannel>(null)
  const [attempt, setAttempt] = useState(0)
  const add = useCollector(setMessages)
  const key = JSON.stringify(search)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt joins again
  useEffect(() => {
    const { join, topic, as } = JSON.parse(key) as ChannelSearch
    if (!join || !topic) return setState({ status: 'idle' })
    let leave = () => undefined as unknown
    let isLeft = false
    const end = (next: ChannelState) => {
      channel.current = null
      setPresent({})
      if (!isLeft) setState(next)
      leave()
    }
    setState({ status: 'joining' })
    // A page can't read why a socket was refused, but it can read this.
    api(`/caller${as === undefined ? '' : `?${new URLSearchParams({ as })}`}`)
      .then(() => {
        if (isLeft) return
        const connection = connect(JSON.parse(key) as ChannelSearch, { setState, setPresent, add, end })
        channel.current = connection.channel
        leave = connection.leave
      })
      .catch((error: Error) => end({ status: 'refused', reason: error.message }))
    return () => {
      isLeft = true
      end({ status: 'idle' })
    }
  }, [key, attempt, add])

  const outcomeOf = async (sent: Promise<string> | undefined): Promise<SendOutcome> => {
    const answer = await sent
    return answer === 'ok' ? 'ok' : answer === 'timed out' ? 'unanswered' : 'refused'
  }
  const options = { timeout: ANSWER_LIMIT }
  return {
    state,
    messages,
    present,
    clear: () => setMessages([]),
    /** Rejoins the channel after it was refused or closed. */
    rejoin: () => setAttempt((before) => before + 1),
    broadcast: (event: string, payload: object) =>
      outcomeOf(channel.current?.send({ type: 'broadcast', event, payload }, options)),
    track: (payload: object) => outcomeOf(channel.current?.track({ ...payload }, options)),
    untrack: () => outcomeOf(channel.current?.untrack(options)),
  }
}

export type Channel = ReturnType<typeof useChannel>

type Add = (kind: MessageKind, title: string, payload: unknown) => void

/** Batches messages, so that a burst is rendered once. */
function useCollector(setMessages: (change: (before: readonly Message[]) => readonly Message[]) => void): Add {
  const [add] = useState(() => {
    const waiting: Message[] = []
    let number = 0
    let isScheduled = false
    return (kind: MessageKind, title: string, payload: unknown) => {
      const text = JSON.stringify(payload, null, 2) ?? ''
      waiting.push({
        number: ++number,
        time: new Date().toISOString(),
        kind,
        title,
        payload: text.slice(0, MAX_CHARACTERS),
        isCut: text.length > MAX_CHARACTERS,
      })
      if (isScheduled) return
      isScheduled = true
      setTimeout(() => {
        isScheduled = false
        const arrived = waiting.splice(0)
        setMessages((before) => [...before, ...arrived].slice(-MAX_MESSAGES))
      }, REDRAW)
    }
  })
  return add
}

type Listener = {
  setState(state: ChannelState): void
  setPresent(state: PresenceState): void
  readonly add: Add
  /** The channel has ended. */
  end(state: ChannelState): void
}

function connect(
  { topic = '', as, changes = [], ...search }: ChannelSearch,
  { setState, setPresent, add, end }: Listener,
) {
  const client = new RealtimeClient(`${location.origin.replace(/^http/, 'ws')}/api/realtime`, {
    // The library requires a key; the console's server replaces it.
    params: { apikey: 'console', ...(as === undefined ? {} : { as }) },
  })
  const channel = client.channel(topic, {
    config: {
      private: search.private ?? false,
      // With an acknowledgement per message, to detect refusals.
      broadcast: { self: search.own ?? true, ack: true },
      presence: { key: search.key ?? '', enabled: search.presence ?? true },
      // Otherwise the join would succeed despite a refused subscription.
      postgres_changes_options: { wait: true },
    },
  })
  let reason = ''
  channel.on('broadcast', { event: '*' }, ({ event, ...payload }) => add('broadcast', event, readable(payload.payload)))
  channel.on('system', {}, ({ status, message, extension }: Record<string, string | undefined>) => {
    if (status === 'error') reason = message ?? ''
    add('system', `${extension ?? 'system'}: ${message ?? status ?? ''}`, { status })
  })
  if (search.presence ?? true) {
    channel.on('presence', { event: 'sync' }, () => setPresent({ ...channel.presenceState() }))
    channel.on('presence', { event: 'join' }, ({ key, newPresences }) => add('presence', `${key} joined`, newPresences))
    channel.on('presence', { event: 'leave' }, ({ key, leftPresences }) =>
      add('presence', `${key} left`, leftPresences),
    )
  }
  for (const { event, schema, table, filter } of changes) {
    const wanted = { schema, table, ...(filter ? { filter } : {}) }
    channel.on('postgres_changes', { event: event as '*', ...wanted }, (change) =>
      add('change', `${change.eventType} ${change.schema}.${change.table}`, change),
    )
  }
  channel.subscribe((status, error) => {
    switch (status) {
      case 'SUBSCRIBED':
        add('system', `joined ${topic}`, { topic, as: as ?? 'service_role', private: search.private ?? false })
        return setState({ status: 'joined' })
      case 'CLOSED':
        return end({ status: 'closed', reason: reason || 'The channel was closed.' })
      case 'TIMED_OUT':
        return setState({ status: 'lost' })
      case 'CHANNEL_ERROR': {
        const refusal = refusalOf(error)
        // If it wasn't refused, the connection was lost and the library reconnects.
        if (refusal === null) return setState({ status: 'lost' })
        add('system', refusal, { status: 'error' })
        return end({ status: 'refused', reason: refusal })
      }
    }
  })
  const leave = () => {
    channel.teardown()
    void client.disconnect()
  }
  return { channel, leave }
}

/** The maximum number of bytes shown of a binary payload. */
const SHOWN_BYTES = 256

const readable = (payload: unknown): unknown =>
  payload instanceof ArrayBuffer ? { bytes: payload.byteLength, hex: hexOf(payload.slice(0, SHOWN_BYTES)) } : payload

const hexOf = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')

/** Returns the service's reason for refusing a join, or null. */
function refusalOf(error: Error | undefined): string | null {
  const cause = error?.cause
  if (typeof cause !== 'object' || cause === null || !('reason' in cause) || 'code' in cause) return null
  return String(cause.reason)
}
