import type { Socket } from 'node:net'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { engineLost } from '../engine/errors.ts'
import { decode } from '../engine/exchange.ts'
import { PreparedStatements } from '../engine/prepared.ts'
import type { Session } from '../session.ts'
import { ResponseReader } from './response-reader.ts'

export type ServerSession = Session & {
  /** Whether it can be lent: connected, and in no transaction. */
  readonly isClean: boolean
  close(): Promise<void>
}

type Waiting = { resolve(bytes: Uint8Array): void; reject(error: Error): void }

/** node-postgres does what comes before the first statement: addresses, TLS, passwords. What comes after is the same
 *  protocol that the embedded engine speaks, byte for byte.
 *  @param settings Hold for the whole session.
 *  @throws {DatabaseError} when the server refuses, and the socket's own errors. */
export async function openServerSession(
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerSession> {
  const options = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ')
  const client = new pg.Client({ connectionString: url, application_name: 'undock', keepAlive: true, options })
  client.on('error', () => undefined)
  await client.connect()
  return takeOver(client)
}

function takeOver(client: pg.Client): ServerSession {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  const waiting: Waiting[] = []
  let isOpen = true
  let status = 'I'
  // All that was to be sent went with the statement that asks: if it still asks, there is no more.
  const reader = new ResponseReader(() => stream.write(COPY_FAIL))
  const lose = (): void => {
    isOpen = false
    for (const one of waiting.splice(0)) one.reject(lastWords(reader.rest))
  }
  stream.on('data', (chunk: Buffer) => {
    for (const response of reader.push(chunk)) {
      status = String.fromCharCode(response.at(-1) ?? 0)
      waiting.shift()?.resolve(response)
    }
  })
  stream.on('close', lose)
  return {
    prepared: new PreparedStatements(),
    get isClean() {
      return isOpen && status === 'I' && waiting.length === 0
    },
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(engineLost('The connection to the database was lost'))
        waiting.push({ resolve, reject })
        stream.write(bytes)
      }),
    progress: () => () => true,
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

/** Why the server ended the connection, if it said so. */
function lastWords(bytes: Buffer): Error {
  try {
    decode(bytes)
  } catch (error) {
    if (error instanceof Error) return error
  }
  return engineLost('The connection to the database was lost')
}
