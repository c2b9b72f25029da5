import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Log } from '../../kernel/service.ts'
import type { Db } from '../db.ts'
import type { Engine } from '../session.ts'
import { AUTHENTICATED, encodeError, encodeKeyData, encodeParameter, encodeReady } from './backend.ts'
import { Connection } from './connection.ts'
import { FrontendReader, ProtocolViolation } from './frontend.ts'
import { greet, Refusal } from './startup.ts'
import type { Shared } from './turns.ts'

export type WireOptions = {
  readonly engine: Engine
  readonly db: Db
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** What roles without a password of their own log in with. */
  readonly password: string
  /** Seconds a client may sit in an open transaction, which holds the only session; 0 is no limit. */
  readonly idleInTransactionTimeout: number
  readonly maxConnections: number
  readonly log: Log
}

export type WireListener = { readonly port: number; close(): Promise<void> }

/** Lets clients of Postgres reach the embedded engine: psql, the Supabase CLI, drivers. They take turns at its one
 *  session and each finds it as its own.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function startWire(options: WireOptions): Promise<WireListener> {
  const { engine, host, port, log } = options
  const shared: Shared = { engine, idleLimit: options.idleInTransactionTimeout * 1000, generation: 0 }
  const sockets = new Set<Socket>()
  const connections = new Set<Connection>()
  const work = new Set<Promise<void>>()
  let lastProcessId = 1000

  const offNotification = engine.onNotification(({ channel, payload }) => {
    for (const connection of connections) connection.notify(channel, payload)
  })
  const offReopened = engine.onReopened(() => {
    shared.generation += 1
    const channels = new Set([...connections].flatMap((connection) => [...connection.channels]))
    for (const channel of channels)
      void options.db.exec(`listen "${channel.replaceAll('"', '""')}"`).catch(() => undefined)
  })

  async function serve(socket: Socket): Promise<void> {
    const reader = new FrontendReader(socket)
    const greeted = await greet(reader, socket, {
      ...options,
      isFull: () => connections.size >= options.maxConnections,
    })
    if (!greeted) return
    const processId = ++lastProcessId
    const connection = new Connection(shared, socket, processId, greeted)
    connections.add(connection)
    try {
      const parameters = [...greeted.reported].map(([name, value]) => encodeParameter(name, value))
      const keyData = encodeKeyData(processId, randomInt(2 ** 31))
      socket.write(Buffer.concat([AUTHENTICATED, ...parameters, keyData, encodeReady('I')]))
      for (let message = await reader.next(); message && message.type !== 'X'; message = await reader.next()) {
        await connection.receive(message)
        if (connection.ended) return
      }
    } finally {
      await connection.end()
      connections.delete(connection)
    }
  }

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    const served = serve(socket)
      .catch((error: unknown) => tellFault(socket, error, log))
      .finally(() => {
        socket.end()
        sockets.delete(socket)
        work.delete(served)
      })
    work.add(served)
  })
  server.listen(port, host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      offNotification()
      offReopened()
      const closed = once(server, 'close')
      server.close()
      const goodbye = encodeError({
        severity: 'FATAL',
        code: '57P01',
        message: 'terminating connection due to administrator command',
      })
      for (const socket of sockets) socket.end(goodbye).destroySoon()
      await Promise.all(work)
      await closed
    },
  }
}

function tellFault(socket: Socket, error: unknown, log: Log): void {
  if (error instanceof Refusal || isGone(error)) return
  if (!(error instanceof ProtocolViolation)) log.error('A connection to the database port failed', error)
  const message = error instanceof ProtocolViolation ? error.message : 'internal error'
  const code = error instanceof ProtocolViolation ? '08P01' : 'XX000'
  if (!socket.destroyed) socket.end(encodeError({ severity: 'FATAL', code, message }))
}

/** The stream's own complaint about a client that hung up in the middle. */
const isGone = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException)?.code ?? '')
