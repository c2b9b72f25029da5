import type { Socket } from 'node:net'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { engineLost } from '../protocol/errors.ts'
import { decode } from '../protocol/exchange.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import type { Session } from '../session.ts'
import { ResponseReader } from './response-reader.ts'

export type ServerSession = Session & {
  /** Whether it can be reused: it is connected and in no transaction. */
  readonly isClean: boolean
  close(): Promise<void>
}

type PendingExchange = { resolve(bytes: Uint8Array): void; reject(error: Error): void }

/** Opens a session on a server. node-postgres does what comes before the first statement: addresses, TLS, passwords. After that the
 *  socket carries the same protocol bytes that the embedded engine takes.
 *  @param settings Made for the whole session.
 *  @throws {DatabaseError} when the server refuses, and the socket's own errors. */
export async function openServerSession(
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerSession> {
  const options = startupOptions(settings)
  const client = new pg.Client({ connectionString: url, application_name: 'undock', keepAlive: true, options })
  client.on('error', () => undefined)
  await client.connect()
  return toServerSession(client)
}

/** Settings as a server takes them when a session begins. */
export const startupOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ')

function toServerSession(client: pg.Client): ServerSession {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  const pending: PendingExchange[] = []
  let isOpen = true
  let status = 'I'
  // The data of a COPY is sent with its statement: if the server still asks for data, there is none.
  const reader = new ResponseReader(() => stream.write(COPY_FAIL))
  const lose = (): void => {
    isOpen = false
    for (const one of pending.splice(0)) one.reject(closeReason(reader.rest))
  }
  stream.on('data', (chunk: Buffer) => {
    for (const response of reader.push(chunk)) {
      status = String.fromCharCode(response.at(-1) ?? 0)
      pending.shift()?.resolve(response)
    }
  })
  stream.on('close', lose)
  return {
    prepared: new PreparedStatements(),
    get isClean() {
      return isOpen && status === 'I' && pending.length === 0
    },
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(engineLost('The connection to the database was lost'))
        pending.push({ resolve, reject })
        stream.write(bytes)
      }),
    trackLastExchange: () => () => true,
    async close() {
      if (!isOpen) return
      isOpen = false
      const closed = new Promise((resolve) => stream.once('close', resolve))
      stream.end(serialize.end())
      await closed
    },
  }
}

const COPY_FAIL = serialize.copyFail('no data was sent')

/** The server's reason for closing the connection, if it sent one. */
function closeReason(bytes: Buffer): Error {
  try {
    decode(bytes)
  } catch (error) {
    if (error instanceof Error) return error
  }
  return engineLost('The connection to the database was lost')
}
