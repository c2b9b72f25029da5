import type { Claims } from '../kernel/service.ts'
import type { Channel } from './channel.ts'
import type { Socket } from './socket.ts'

/** Whose rights a client or a channel has. @property user The id of a user; null for a role alone. */
export type ClientCaller = { readonly role: string; readonly user: string | null; readonly email: string | null }

/** @property present What the channel tracks as its presence; null while it tracks nothing.
 *  @property changes The row changes that it asked for, as the client wrote them. */
type JoinedChannel = {
  readonly topic: string
  readonly isPrivate: boolean
  /** Differs from that of the client when the channel was joined with a token of its own. */
  readonly caller: ClientCaller
  readonly presenceKey: string
  readonly present: unknown
  readonly changes: readonly Readonly<Record<string, unknown>>[]
}

/** @property connectedAt ISO 8601, by the clock of the services. */
export type ConnectedClient = {
  readonly caller: ClientCaller
  readonly carrier: Socket['carrier']
  readonly connectedAt: string
  readonly channels: readonly JoinedChannel[]
}

/** @property search A part of a role, a user's id or address, or a topic. @property limit How many clients are listed. */
export type ClientFilter = { readonly search: string; readonly limit: number }

/** @property connected All clients. @property found Those that fit the search; `clients` has the newest of them. */
export type ConnectedClients = {
  readonly connected: number
  readonly found: number
  readonly clients: readonly ConnectedClient[]
}

/** Tells of the clients, for people. Keys and tokens are left out.
 *  @param sockets In the order in which they connected. */
export function listClients(sockets: Iterable<Socket>, { search, limit }: ClientFilter): ConnectedClients {
  const wanted = search.toLowerCase()
  const open = [...sockets].reverse()
  const found = wanted === '' ? open : open.filter((socket) => textOf(socket).includes(wanted))
  return { connected: open.length, found: found.length, clients: found.slice(0, limit).map(describe) }
}

function textOf({ bearer, channels }: Socket): string {
  const callers = [bearer, ...channels.map((channel) => channel.bearer)].map(({ claims }) => callerOf(claims))
  const texts = callers.flatMap(({ role, user, email }) => [role, user, email])
  return [...texts, ...channels.map(({ name }) => name)].join(' ').toLowerCase()
}

const describe = (socket: Socket): ConnectedClient => ({
  caller: callerOf(socket.bearer.claims),
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
