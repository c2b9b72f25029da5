import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Log } from '../../kernel/service.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { encodeError } from './backend-messages.ts'
import { negotiateEncryption } from './encryption.ts'
import { MAX_STARTUP_PACKET, ProtocolError } from './frontend-messages.ts'
import { takeBytes } from './socket-bytes.ts'
import { readParameters } from './startup.ts'

export type PoolerOptions = {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The database port. */
  readonly target: { readonly host: string; readonly port: number }
  readonly maxClients: number
  certificate(): Promise<Certificate>
  readonly log: Log
}

export type Pooler = { readonly port: number; close(): Promise<void> }

const CANCEL_REQUEST = 80_877_102
/** Milliseconds until a client must have sent its startup packet. */
const STARTUP_TIMEOUT = 60_000

/** Serves `[db.pooler]`: connection strings with a tenant in the user's name, `postgres.<tenant>`, work as with Supavisor. Each
 *  client has a session of its own, in transaction mode as well, which gives it all that a shared one would.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const sockets = new Set<Socket>()
  let clients = 0
  let context: Promise<SecureContext> | undefined
  const secureContext = (): Promise<SecureContext> => {
    context ??= options.certificate().then((certificate) => createSecureContext(certificate))
    return context
  }

  async function serve(raw: Socket): Promise<void> {
    const timer = setTimeout(() => raw.destroy(), STARTUP_TIMEOUT)
    try {
      const client = await negotiateEncryption(raw, secureContext)
      const startup = client && (await readStartup(client))
      clearTimeout(timer)
      if (!startup) return
      if (clients >= options.maxClients) {
        client.end(encodeError({ severity: 'FATAL', code: 'XX000', message: 'Max client connections reached' }))
        return
      }
      clients += 1
      await connect(client, startup).finally(() => {
        clients -= 1
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async function connect(client: Socket, startup: Buffer): Promise<void> {
    const server = createConnection({ ...options.target, noDelay: true })
    sockets.add(server)
    server.once('close', () => sockets.delete(server))
    server.write(startup)
    // The end of either side is the end of the other.
    const relayed = Promise.allSettled([pipeline(client, server), pipeline(server, client)])
    await Promise.race([once(client, 'close'), once(server, 'close')]).catch(() => undefined)
    for (const socket of [client, server]) socket.destroySoon()
    await relayed
  }

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    serve(socket)
      .catch((error: unknown) => {
        if (error instanceof ProtocolError)
          socket.end(encodeError({ severity: 'FATAL', code: error.code, message: error.message }))
        else options.log.error('A connection to the pooler failed', error)
      })
      .finally(() => socket.destroySoon())
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The startup packet for the database: the client's, with the tenant taken from the user's name.
 *  @returns null when the client has disconnected. @throws {ProtocolError} */
async function readStartup(client: Socket): Promise<Buffer | null> {
  const head = await takeBytes(client, 8)
  if (!head) return null
  const length = head.readUInt32BE(0)
  if (length < 8 || length > MAX_STARTUP_PACKET) throw new ProtocolError('invalid length of startup packet')
  const body = await takeBytes(client, length - 8)
  if (!body) return null
  if (head.readUInt32BE(4) === CANCEL_REQUEST) return Buffer.concat([head, body])
  const parameters = readParameters(body)
  const user = parameters.get('user') ?? ''
  parameters.set('user', user.split('.', 1)[0] ?? '')
  const text = [...parameters].map(([name, value]) => `${name}\0${value}\0`).join('')
  const packet = Buffer.concat([head, Buffer.from(`${text}\0`)])
  packet.writeUInt32BE(packet.length, 0)
  return packet
}
