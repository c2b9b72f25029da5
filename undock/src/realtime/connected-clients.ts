import type { Claims } from '../kernel/service.ts'
import type { Channel } from './channel.ts'
import type { Socket } from './socket.ts'

/** The identity of a client or channel. @property user The user's id; null for a role alone. */
export type ClientCaller = { readonly role: string; readonly user: string | null; readonly email: string | null }

/** @property present The tracked presence; null if none.
 *  @property changes The row changes it asked for, as the client wrote them. */
type JoinedChannel = {
  readonly topic: string
  readonly isPrivate: boolean
  /** Differs from the client's if the channel joined with its own token. */
  readonly caller: ClientCaller
  readonly presenceKey: string
  readonly present: unknown
  readonly changes: readonly Readonly<Record<string, unknown>>[]
}

/** @property connectedAt ISO 8601, server time. */
export type ConnectedClient = {
  readonly caller: ClientCaller
  readonly carrier: Socket['carrier']
  readonly connectedAt: string
  readonly channels: readonly JoinedChannel[]
}

/** @property search Matches part of a role, user id, email or topic. @property limit The most clients to list. */
export type ClientFilter = { readonly search: string; readonly limit: number }

export type ConnectedClients = {
  readonly connected: number
  readonly found: number
  readonly clients: readonly ConnectedClient[]
}

/** Lists clients for display, without keys and tokens.
 *  @param sockets In order of connection. */
export function listClients(sockets: Iterable<Socket>, { search, limit }: ClientFilter): ConnectedClients {
  const wanted = search.toLowerCase()
  const open = [...sockets].reverse()
  const matches = wanted === '' ? open : open.filter((socket) => textOf(socket).includes(wanted))
  return { connected: open.length, found: matches.length, clients: matches.slice(0, limit).map(describe) }
}

function textOf({ client, channels }: Socket): string {
  const callers = [client, ...channels].map(({ bearer }) => callerOf(bearer.claims))
  const texts = callers.flatMap(({ role, user, email }) => [role, user, email])
  return [...texts, ...channels.map(({ name }) => name)].join(' ').toLowerCase()
}

const describe = (socket: Socket): ConnectedClient => ({
  caller: callerOf(socket.client.bearer.claims),
  carrier: socket.carrier,
  connectedAt: socket.connectedAt.toISOString(),
  channels: socket.channels.map(describeChannel),
})

const describeChannel = ({ name, request, bearer, presenceKey, tracked }: Channel): JoinedChannel => ({
  topic: name,
  isPrivate: request.isPrivate,
  caller: callerOf(bearer.claims),
  presenceKey,
  present: tracked === null ? null : JSON.parse(tracked),
  changes: request.postgresChanges,
})

const callerOf = ({ role, sub, email }: Claims): ClientCaller => ({
  role,
  user: typeof sub === 'string' ? sub : null,
  email: typeof email === 'string' && email !== '' ? email : null,
})
