import type { Socket } from 'node:net'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { connectionTo } from '../../kernel/url.ts'
import { engineLost } from '../protocol/errors.ts'
import { decode } from '../protocol/exchange.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import type { Session } from '../session.ts'

export type ServerSession = Session & {
  /** Whether it can be reused: connected and not in a transaction. */
  readonly isClean: boolean
  close(): Promise<void>
}

/** A session across a network, whose other end may vanish silently. */
export type NetworkSession = ServerSession & {
  readonly isOpen: boolean
  readonly isWaiting: boolean
  /** When the server last answered, or was first asked after being idle: milliseconds of `performance.now()`. */
  readonly heardAt: number
  /** Ends it without notifying the server. Pending exchanges fail with 57P01. */
  drop(): void
}

export const CLOSE_LIMIT = 2_000

type PendingExchange = { resolve(bytes: Uint8Array): void; reject(error: Error): void }

/** Opens a session. node-postgres handles addresses, TLS and passwords, then the socket carries plain protocol bytes.
 *  @param settings Apply to the whole session.
 *  @param connectLimit Milliseconds; 0 for as long as the system tries.
 *  @throws {DatabaseError} if the server refuses, and the socket's own errors. */
export async function openServerSession(
  url: string,
  settings: Readonly<Record<string, string>>,
  connectLimit = 0,
): Promise<NetworkSession> {
  // A pooler rejects startup options.
  const options = Object.keys(settings).length > 0 && { options: startupOptions(settings) }
  const client = new pg.Client({
    ...connectionTo(url),
    application_name: 'undock',
    keepAlive: true,
    connectionTimeoutMillis: connectLimit,
    ...options,
  })
  client.on('error', () => undefined)
  await client.connect()
  return toServerSession(client)
}

/** Encodes startup options. Disables the project's preloaded libraries: a missing one would end the session. */
export const startupOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries({ local_preload_libraries: '', ...settings })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ')

export const socketOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

function toServerSession(client: pg.Client): NetworkSession {
  const stream = socketOf(client)
  stream.removeAllListeners('data')
  const pending: PendingExchange[] = []
  let unsent: Uint8Array[] = []
  let isOpen = true
  let status = 'I'
  let heardAt = performance.now()
  // COPY data is sent with its statement: if the server still asks for data, there is none.
  const reader = new ResponseReader(() => stream.write(COPY_FAIL))
  const lose = (): void => {
    isOpen = false
    for (const one of pending.splice(0)) one.reject(closeReason(reader.rest))
  }
  stream.on('data', (chunk: Buffer) => {
    heardAt = performance.now()
    for (const response of reader.push(chunk)) {
      status = String.fromCharCode(response.at(-1) ?? 0)
      pending.shift()?.resolve(response)
    }
  })
  stream.on('close', lose)
  const send = (): void => {
    const bytes = unsent
    unsent = []
    if (isOpen) stream.write(bytes.length === 1 && bytes[0] ? bytes[0] : Buffer.concat(bytes))
  }
  return {
    prepared: new PreparedStatements(),
    get isClean() {
      return isOpen && status === 'I' && pending.length === 0
    },
    get isOpen() {
      return isOpen
    },
    get isWaiting() {
      return pending.length > 0
    },
    get heardAt() {
      return heardAt
    },
    exchange: (bytes) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(engineLost('The connection to the database was lost'))
        if (pending.push({ resolve, reject }) === 1) heardAt = performance.now()
        // Batches one iteration of the event loop into one write.
        if (unsent.push(bytes) === 1) setImmediate(send)
      }),
    async close() {
      if (!isOpen) return
      isOpen = false
      const closed = new Promise((resolve) => stream.once('close', resolve))
      const limit = setTimeout(() => stream.destroy(), CLOSE_LIMIT)
      stream.end(serialize.end())
      await closed
      clearTimeout(limit)
    },
    drop: () => stream.destroy(),
  }
}

const COPY_FAIL = serialize.copyFail('no data was sent')

function closeReason(bytes: Buffer): Error {
  try {
    decode(bytes)
  } catch (error) {
    if (error instanceof Error) return error
  }
  return engineLost('The connection to the database was lost')
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const COPY_IN_RESPONSE = 'G'.charCodeAt(0)
const HEADER = 5

/** Splits a stream of backend messages into responses, each ending with ReadyForQuery. */
class ResponseReader {
  readonly #onCopyIn: () => void
  readonly #header = Buffer.alloc(HEADER)
  #headerLength = 0
  #left = 0
  #chunks: Buffer[] = []

  constructor(onCopyIn: () => void) {
    this.#onCopyIn = onCopyIn
  }

  get rest(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  push(chunk: Buffer): Buffer[] {
    const responses: Buffer[] = []
    let start = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at)
        this.#left -= step
        at += step
      } else {
        const step = Math.min(HEADER - this.#headerLength, chunk.length - at)
        chunk.copy(this.#header, this.#headerLength, at, at + step)
        this.#headerLength += step
        at += step
        if (this.#headerLength < HEADER) break
        this.#headerLength = 0
        this.#left = this.#header.readUInt32BE(1) - 4
        if (this.#header[0] === COPY_IN_RESPONSE) this.#onCopyIn()
      }
      if (this.#left === 0 && this.#headerLength === 0 && this.#header[0] === READY_FOR_QUERY) {
        responses.push(Buffer.concat([...this.#chunks, chunk.subarray(start, at)]))
        this.#chunks = []
        this.#header[0] = 0
        start = at
      }
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start))
    return responses
  }
}
