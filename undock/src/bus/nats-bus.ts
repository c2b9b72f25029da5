import { createHash, randomUUID } from 'node:crypto'
import type { ConnectionOptions } from '@nats-io/transport-node'
import type { Bus } from '../kernel/bus.ts'
import type { Log } from '../kernel/service.ts'
import { importPart } from '../platform/fetched-package.ts'
import { type Carrier, openSharedBus } from './shared-bus.ts'

type NatsBusOptions = {
  /** `nats://` or `tls://`, with `user:password@` or `token@` if the server requires it. */
  readonly url: string
  /** 32 bytes, shared by the project's nodes; also keeps projects on the same server apart. */
  readonly key: Buffer
  readonly log: Log
  /** Milliseconds between pings; after two unanswered pings the server counts as lost. */
  readonly pingInterval?: number
  /** Called before the client package is downloaded. */
  onFetching(): void
}

/** Marks the last part of an envelope, and parts that have a successor. */
const [LAST, MORE] = [0, 1]
/** Bytes buffered per sender while an envelope is incomplete; larger envelopes are dropped. */
const MAX_BYTES = 64 * 1024 * 1024
/** Milliseconds between reconnect attempts, with jitter so the nodes don't all return at the same moment. */
const RECONNECT = { reconnectTimeWait: 500, reconnectJitter: 500, reconnectJitterTLS: 500, maxReconnectAttempts: -1 }
const PING_INTERVAL = 5_000

/** Opens a bus over a NATS server.
 *  @throws if the server can't be reached or refuses, and {FetchError} if the client can't be downloaded. */
export function openNatsBus({ key, ...options }: NatsBusOptions): Promise<Bus> {
  const project = createHash('sha256').update('undock bus').update(key).digest('hex').slice(0, 16)
  return openSharedBus({
    key,
    log: options.log,
    open: (receive) => openCarrier({ ...options, subject: `undock.${project}` }, receive),
  })
}

/** Loads the NATS client. @param tell Called before it is downloaded. @throws {FetchError} */
export const loadNats = (tell: () => void) =>
  importPart('@nats-io/transport-node', () => import('@nats-io/transport-node'), tell)

async function openCarrier(
  {
    url,
    subject,
    log,
    pingInterval = PING_INTERVAL,
    onFetching,
  }: Omit<NatsBusOptions, 'key'> & { readonly subject: string },
  receive: (envelope: Buffer) => void,
): Promise<Carrier> {
  const { connect } = await loadNats(onFetching)
  const connection = await connect({ ...addressOf(url), ...RECONNECT, pingInterval, maxPingOut: 2, name: 'undock' })
  void tellStatus()
  const own = `${subject}.${randomUUID()}`
  const partBytes = (connection.info?.max_payload ?? 1_000_000) - 1
  const partial = new Map<string, Buffer[]>()
  connection.subscribe(`${subject}.*`, {
    callback(error, { subject: from, data }) {
      if (error || data.length === 0) return
      const parts = [...(partial.get(from) ?? []), Buffer.from(data.subarray(1))]
      partial.delete(from)
      if (data[0] === LAST) return receive(Buffer.concat(parts))
      partial.set(from, parts)
      if (bytesOf(partial) > MAX_BYTES) partial.clear()
    },
  })

  async function tellStatus(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') log.warn('The connection to NATS is lost', { server: status.server })
      else if (status.type === 'reconnect') log.info('The connection to NATS is there again', { server: status.server })
    }
  }

  return {
    // Larger envelopes only add another copy.
    comfortableBytes: Math.min(65_536, partBytes),
    async send(envelopes) {
      for (const envelope of envelopes)
        for (let at = 0; at < envelope.length; at += partBytes) {
          const isLast = at + partBytes >= envelope.length
          const part = envelope.subarray(at, at + partBytes)
          connection.publish(own, Buffer.concat([Buffer.of(isLast ? LAST : MORE), part]))
        }
      await connection.flush()
    },
    async close() {
      await connection.close()
    },
  }
}

const bytesOf = (partial: ReadonlyMap<string, readonly Buffer[]>): number =>
  [...partial.values()].flat().reduce((sum, { length }) => sum + length, 0)

function addressOf(url: string): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const { protocol, host, username, password } = new URL(url)
  const user = decodeURIComponent(username)
  const pass = decodeURIComponent(password)
  return {
    servers: host,
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    ...(pass ? { user, pass } : user ? { token: user } : {}),
  }
}
