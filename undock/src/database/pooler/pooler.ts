import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../kernel/service.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { fatalError, negotiateEncryption, onceSecure, ProtocolError, takeBytes } from './encryption.ts'

type Address = { readonly host: string; readonly port: number }

type RelayOptions = {
  /** Returns the server for a tenant, empty if the user's name has none; null for a request to cancel a statement.
   *  @throws {ProtocolError} which the client receives. */
  targetOf(tenant: string | null): Address | Promise<Address>
  readonly maxClients: number
  certificate(): Promise<Certificate>
  readonly log: Log
}

export type PoolerOptions = RelayOptions & Address

export type Pooler = { readonly port: number; close(): Promise<void> }

const CANCEL_REQUEST = 80_877_102
const MAX_STARTUP_PACKET = 10_000
const STARTUP_TIMEOUT = 60_000

/** Serves `[db.pooler]`: users named `postgres.<tenant>` work as with Supavisor. Every client gets its own session,
 *  even in transaction mode, which offers all that a shared one would.
 *  @throws {Error} EADDRINUSE if the port is taken. */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const relay = createRelay(options)
  const server = createServer({ noDelay: true }, relay.accept)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      relay.close()
      await closed
    },
  }
}

export type Relay = { accept(socket: Socket): void; close(): void }

/** Connects clients of the Postgres protocol to the servers of their tenants. */
export function createRelay({ targetOf, maxClients, certificate, log }: RelayOptions): Relay {
  const sockets = new Set<Socket>()
  let clients = 0
  const secureContext = onceSecure(certificate)

  async function serve(raw: Socket): Promise<void> {
    const timer = setTimeout(() => raw.destroy(), STARTUP_TIMEOUT)
    let client: Socket | null = raw
    try {
      client = await negotiateEncryption(raw, secureContext)
      const startup = client && (await readStartup(client))
      clearTimeout(timer)
      if (!client || !startup) return
      if (clients >= maxClients) throw new ProtocolError('Max client connections reached', 'XX000')
      clients += 1
      await connect(client, startup).finally(() => {
        clients -= 1
      })
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      client?.end(fatalError(error.code, error.message, error.hint))
    } finally {
      clearTimeout(timer)
    }
  }

  async function connect(client: Socket, { packet, tenant }: Startup): Promise<void> {
    const server = createConnection({ ...(await targetOf(tenant)), noDelay: true })
    sockets.add(server)
    server.once('close', () => sockets.delete(server))
    server.write(packet)
    const relayed = Promise.allSettled([pipeline(client, server), pipeline(server, client)])
    await Promise.race([once(client, 'close'), once(server, 'close')]).catch(() => undefined)
    for (const socket of [client, server]) socket.destroySoon()
    await relayed
  }

  return {
    accept(socket) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => sockets.delete(socket))
      serve(socket)
        .catch((error: unknown) => log.error('A connection to a database failed', error))
        .finally(() => socket.destroySoon())
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Startup = { readonly packet: Buffer; readonly tenant: string | null }

/** Returns the client's startup packet without the tenant in the user's name.
 *  @returns null if the client has disconnected. @throws {ProtocolError} */
async function readStartup(client: Socket): Promise<Startup | null> {
  const head = await takeBytes(client, 8)
  if (!head) return null
  const length = head.readUInt32BE(0)
  if (length < 8 || length > MAX_STARTUP_PACKET) throw new ProtocolError('invalid length of startup packet')
  const body = await takeBytes(client, length - 8)
  if (!body) return null
  if (head.readUInt32BE(4) === CANCEL_REQUEST) return { packet: Buffer.concat([head, body]), tenant: null }
  const parameters = readParameters(body)
  const [, user = '', tenant = ''] = /^([^.]*)\.?(.*)$/s.exec(parameters.get('user') ?? '') ?? []
  parameters.set('user', user)
  const text = [...parameters].map(([name, value]) => `${name}\0${value}\0`).join('')
  const packet = Buffer.concat([head, Buffer.from(`${text}\0`)])
  packet.writeUInt32BE(packet.length, 0)
  return { packet, tenant }
}

function readParameters(body: Buffer): Map<string, string> {
  const words = body.toString('utf8').split('\0')
  const end = words.findIndex((word, index) => index % 2 === 0 && word === '')
  if (end === -1) throw new ProtocolError('invalid string in message')
  return new Map(Array.from({ length: end / 2 }, (_, index) => [words[2 * index] ?? '', words[2 * index + 1] ?? '']))
}
