import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Log } from '../../kernel/service.ts'
import type { Certificate } from '../../platform/certificate.ts'
import type { Db } from '../db.ts'
import type { EmbeddedEngine } from '../pglite/engine.ts'
import { AUTHENTICATED, encodeError, encodeKeyData, encodeParameter, encodeReady } from './backend-messages.ts'
import type { ListenerState } from './client-session.ts'
import { Connection } from './connection.ts'
import { negotiateEncryption } from './encryption.ts'
import { FrontendReader, ProtocolError } from './frontend-messages.ts'
import { anyOf } from './socket-bytes.ts'
import { acceptStartup, RefusedClientError, type StartedClient } from './startup.ts'

export type WireServerOptions = {
  readonly engine: EmbeddedEngine
  readonly db: Db
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** The password of roles that have none of their own. */
  readonly password: string
  /** Seconds that a client may be idle in an open transaction, which holds the only session; 0 means no limit. */
  readonly idleInTransactionTimeout: number
  readonly maxConnections: number
  /** The most bytes of a client's message, and of all messages that it sends without waiting for a response. */
  readonly maxMessageSize: number
  /** Milliseconds that a client may take to log in; a minute when left out, as in Postgres. */
  readonly authenticationTimeout?: number
  /** What a client that asks for TLS is served with. */
  certificate(): Promise<Certificate>
  readonly log: Log
}

export type WireServer = { readonly port: number; close(): Promise<void> }

/** Serves clients of Postgres (psql, the Supabase CLI, drivers) from the embedded engine. They take turns at its only session, and
 *  each finds it in its own state.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function startWireServer(options: WireServerOptions): Promise<WireServer> {
  const { engine, host, port, log } = options
  const state: ListenerState = {
    engine,
    idleLimit: options.idleInTransactionTimeout * 1000,
    statementsGeneration: 0,
    hasTemporarySchema: false,
    hasWarnedOfAdvisoryLocks: false,
    log,
  }
  const sockets = new Set<Socket>()
  const connections = new Set<Connection>()
  /** By process id, the connection's secret and how to cancel its statement. */
  const cancellations = new Map<number, { readonly secret: number; cancel(): void }>()
  const work = new Set<Promise<void>>()
  let lastProcessId = 1000
  let context: Promise<SecureContext> | undefined
  const secureContext = (): Promise<SecureContext> => {
    context ??= options.certificate().then((certificate) => createSecureContext(certificate))
    return context
  }

  const offNotification = engine.onNotification((notification) => {
    for (const connection of connections) connection.notify(notification)
  })
  const offLongWait = engine.onLongWait(({ holder, since, waiting }) =>
    log.warn('A client of the database port has the only session of PGlite, and others wait for it', {
      client: holder.describe(),
      since: since.toISOString(),
      statement: holder.lastStatement(),
      waiting: waiting?.describe() ?? 'a service of the stack',
    }),
  )
  const offReopened = engine.onReopened(() => {
    state.statementsGeneration += 1
    state.hasTemporarySchema = false
    const channels = new Set([...connections].flatMap((connection) => [...connection.channels]))
    for (const channel of channels)
      void options.db.exec(`listen "${channel.replaceAll('"', '""')}"`).catch(() => undefined)
  })

  async function serve(socket: Socket, reader: FrontendReader, client: StartedClient): Promise<void> {
    const { processId } = client
    const connection = new Connection({
      listener: state,
      socket,
      client,
      maxMessageSize: options.maxMessageSize,
    })
    const secret = randomInt(2 ** 31)
    connections.add(connection)
    cancellations.set(processId, { secret, cancel: () => connection.cancel() })
    try {
      const parameters = [...client.reported].map(([name, value]) => encodeParameter(name, value))
      const keyData = encodeKeyData(processId, secret)
      socket.write(Buffer.concat([AUTHENTICATED, ...parameters, keyData, encodeReady('I')]))
      for (let message = await reader.next(); message && message.type !== 'X'; message = await reader.next()) {
        await connection.receive(message)
        if (connection.ended) return
        // A client that does not read its responses is not read from.
        if (socket.writableNeedDrain) await anyOf(socket, ['drain', 'close'])
      }
    } finally {
      await connection.end()
      connections.delete(connection)
      cancellations.delete(processId)
    }
  }

  /** Serves a client from its first byte to its end. */
  async function accept(raw: Socket): Promise<void> {
    sockets.add(raw)
    let socket = raw
    // Postgres closes the connection without a message too.
    const loginTimer = setTimeout(() => raw.destroy(), options.authenticationTimeout ?? AUTHENTICATION_TIMEOUT)
    try {
      const stream = await negotiateEncryption(raw, secureContext)
      if (!stream) return
      sockets.delete(raw)
      sockets.add(stream)
      socket = stream
      const reader = new FrontendReader(socket, options.maxMessageSize)
      const client = await acceptStartup(reader, socket, {
        ...options,
        processId: ++lastProcessId,
        isFull: () => connections.size >= options.maxConnections,
        cancel(processId, secret) {
          const found = cancellations.get(processId)
          if (found?.secret === secret) found.cancel()
        },
      })
      clearTimeout(loginTimer)
      if (client) await serve(socket, reader, client)
    } catch (error) {
      reportError(socket, error, log)
    } finally {
      clearTimeout(loginTimer)
      end(socket, raw)
      sockets.delete(socket)
    }
  }

  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY }, (socket) => {
    // As many connections again may be logging in, as in Postgres.
    if (sockets.size >= 2 * options.maxConnections) {
      socket.on('error', () => socket.destroy())
      socket.end(TOO_MANY).destroySoon()
      return
    }
    socket.on('error', () => socket.destroy())
    const served = accept(socket).finally(() => work.delete(served))
    work.add(served)
  })
  server.listen(port, host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      offNotification()
      offReopened()
      offLongWait()
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

const AUTHENTICATION_TIMEOUT = 60_000
/** Milliseconds of silence after which TCP checks whether the client still exists. */
const KEEP_ALIVE_DELAY = 60_000
/** Milliseconds that a client has to read the last response. */
const CLOSE_TIMEOUT = 1_000
const TOO_MANY = encodeError({ severity: 'FATAL', code: '53300', message: 'sorry, too many clients already' })

/** Data that the client sent after its end is never read; the socket would stay half open because of it. */
function end(socket: Socket, raw: Socket): void {
  socket.end()
  if (raw.closed) return
  const linger = setTimeout(() => raw.destroy(), CLOSE_TIMEOUT)
  raw.once('close', () => clearTimeout(linger))
}

function reportError(socket: Socket, error: unknown, log: Log): void {
  if (error instanceof RefusedClientError || isDisconnect(error)) return
  if (!(error instanceof ProtocolError)) log.error('A connection to the database port failed', error)
  const message = error instanceof ProtocolError ? error.message : 'internal error'
  const code = error instanceof ProtocolError ? error.code : 'XX000'
  if (!socket.destroyed) socket.end(encodeError({ severity: 'FATAL', code, message }))
}

/** Whether an error of the stream says that the client disconnected. */
const isDisconnect = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException)?.code ?? '')
