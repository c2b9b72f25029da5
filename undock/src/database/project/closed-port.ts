import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Certificate } from '../../platform/certificate.ts'
import { fatalError, negotiateEncryption, onceSecure, takeBytes } from '../pooler/encryption.ts'

type ClosedPortOptions = {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  certificate(): Promise<Certificate>
}

/** The first bytes of a startup packet: its length and the version of the protocol. */
const STARTUP_HEAD = 8
/** Milliseconds until a client must have sent its startup packet. */
const STARTUP_TIMEOUT = 10_000

const REFUSAL = fatalError(
  '0A000',
  'PGlite, which runs this database as a single session within undock, has no database port',
  'The native PostgreSQL has one: `undock doctor` says why it does not run this project.',
)

/** Stands at the database port while PGlite runs the database: clients of Postgres receive the reason for not being served instead of a
 *  refused connection.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function startClosedPort({ host, port, certificate }: ClosedPortOptions) {
  const sockets = new Set<Socket>()
  const secureContext = onceSecure(certificate)
  async function refuse(socket: Socket): Promise<void> {
    const client = await negotiateEncryption(socket, secureContext)
    if (client && (await takeBytes(client, STARTUP_HEAD))) client.end(REFUSAL)
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    const timer = setTimeout(() => socket.destroy(), STARTUP_TIMEOUT)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(timer)
      sockets.delete(socket)
    })
    refuse(socket)
      .catch(() => undefined)
      .finally(() => socket.destroySoon())
  })
  server.listen(port, host)
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
