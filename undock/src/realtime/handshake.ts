import { ServiceError } from '../kernel/service-error.ts'
import type { Client } from './channel.ts'
import type { RealtimeDeps } from './deps.ts'
import { ChannelError } from './errors.ts'
import type { OpenSockets } from './open-sockets.ts'
import { verifyBearer } from './token.ts'

/** Creates the refusal of a handshake; statuses and texts are upstream's (RealtimeWeb.UserSocket). */
export const refusal = (status: number, message: string): ServiceError =>
  new ServiceError('HandshakeRefused', status, message)

type Handshake = {
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly task: string | null
  readonly open: Pick<OpenSockets, 'count' | 'isDraining'>
}

/** Admits a client by its API key and serializer version.
 *  @throws {ServiceError} */
export async function admitClient(
  { query, headers, open, task }: Handshake,
  deps: Pick<RealtimeDeps, 'identity' | 'clock' | 'limits' | 'isForeign'>,
): Promise<Client> {
  if (open.isDraining) throw refusal(503, 'This node is shutting down')
  const version = query.get('vsn') ?? '1.0.0'
  if (version !== '1.0.0' && version !== '2.0.0') throw refusal(403, `Unsupported serializer version: ${version}`)
  const credential = headers.get('x-api-key') ?? query.get('apikey')
  if (!credential) throw refusal(401, 'API key is missing')
  const isForeign = deps.isForeign({ headers })
  const bearer = await verifyBearer(credential.replaceAll(/\s/g, ''), deps, isForeign)
  if (open.count >= deps.limits.sockets) throw refusal(429, 'Too many connected users')
  return { version, bearer, isForeign, headers: extraHeaders(headers), handshake: task }
}

/** Returns the refusal for a failed handshake; unexpected errors are logged. */
export function refusalOf(error: unknown, { log }: Pick<RealtimeDeps, 'log'>): ServiceError {
  if (error instanceof ChannelError && error.message.startsWith('Token has expired'))
    return refusal(error.status, 'Token has expired')
  if (error instanceof ServiceError) return error
  log.error('ErrorConnectingToWebsocket', error)
  return refusal(500, 'Error connecting to Realtime')
}

/** Policies see the handshake's `x-` headers, like upstream. */
const extraHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-')))
