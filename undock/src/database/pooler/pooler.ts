import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../kernel/service.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { fatalError, negotiateEncryption, onceSecure, ProtocolError, takeBytes } from './encryption.ts'

export type PoolerOptions = {
  readonly host: string
  readonly port: number
  readonly target: { readonly host: string; readonly port: number }
  readonly maxClients: number
  certificate(): Promise<Certificate>
  readonly log: Log
}

export type Pooler = { readonly port: number; close(): Promise<void> }

const CANCEL_REQUEST = 80_877_102
const MAX_STARTUP_PACKET = 10_000
const STARTUP_TIMEOUT = 60_000

/** Serves `[db.pooler]`: users named `postgres.<tenant>` work as with Supavisor. Every client gets its own session,
 *  even in transaction mode, which offers all that a shared one would.
 *  @throws {Error} EADDRINUSE if the port is taken. */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const sockets = new Set<Socket>()
  let clients = 0
  const secureContext = onceSecure(options.certificate)

  async function serve(raw: Socket): Promise<void> {
    const timer = setTimeout(() => raw.destroy(), STARTUP_TIMEOUT)
    try {
      const client = await negotiateEncryption(raw, secureContext)
      const startup = client && (await readStartup(client))
      clearTimeout(timer)
      if (!startup) return
      if (clients >= options.maxClients) {
        client.end(fatalError('XX000', 'Max client connections reached'))
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
        if (error instanceof ProtocolError) socket.end(fatalError('08P01', error.message))
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

/** Returns the client's startup packet without the tenant in the user's name.
 *  @returns null if the client has disconnected. @throws {ProtocolError} */
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

function readParameters(body: Buffer): Map<string, string> {
  const words = body.toString('utf8').split('\0')
  const end = words.findIndex((word, index) => index % 2 === 0 && word === '')
  if (end === -1) throw new ProtocolError('invalid string in message')
  return new Map(Array.from({ length: end / 2 }, (_, index) => [words[2 * index] ?? '', words[2 * index + 1] ?? '']))
}
