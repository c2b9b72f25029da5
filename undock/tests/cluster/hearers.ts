import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'

export type Listener = {
  readonly name: string
  /** How often it received each row. */
  readonly heard: ReadonlyMap<string, number>
  /** The names whose broadcasts it received. */
  readonly probed: ReadonlySet<string>
  /** Whether its channel was never closed or rejoined. */
  hasStayed(): boolean
  isJoined(): boolean
  /** The names present, as this socket sees them. */
  here(): string[]
  /** Broadcasts its name. */
  probe(): void
  close(): Promise<unknown>
}

/** A socket on one node that receives each row of a history and tracks its presence. */
export async function listen(client: SupabaseClient, history: string): Promise<Listener> {
  const name = randomUUID()
  const heard = new Map<string, number>()
  const probed = new Set<string>()
  let interruptions = 0
  /** Row changes start after the join's response. */
  const hearing = Promise.withResolvers<void>()
  const channel: RealtimeChannel = client
    .channel(`history-${history}`, { config: { presence: { key: name } } })
    .on('presence', { event: 'sync' }, () => undefined)
    .on('broadcast', { event: 'probe' }, ({ payload }) => probed.add(String(payload.name)))
    .on('system', {}, ({ status }) => {
      if (status === 'error') interruptions += 1
      else hearing.resolve()
    })
    .on(
      'postgres_changes',
      { event: 'INSERT', schema: 'public', table: 'entries', filter: `history=eq.${history}` },
      ({ new: { id } }) => heard.set(String(id), (heard.get(String(id)) ?? 0) + 1),
    )
  channel.subscribe((status) => {
    if (status === 'SUBSCRIBED') void channel.track({ name })
    else interruptions += 1
  })
  await hearing.promise
  return {
    name,
    heard,
    probed,
    hasStayed: () => interruptions === 0,
    isJoined: () => channel.state === 'joined',
    here: () => Object.keys(channel.presenceState()),
    probe: () => void channel.send({ type: 'broadcast', event: 'probe', payload: { name } }),
    close: () => client.removeAllChannels(),
  }
}

/** A server that counts requests by their last path segment. */
export async function startSink() {
  const received = new Map<string, number>()
  const server = createServer((request, response) => {
    const name = request.url?.split('/').at(-1) ?? ''
    received.set(name, (received.get(name) ?? 0) + 1)
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
