import type { Readable } from 'node:stream'

/** A client's message: its type, and its body without the length. */
export type FrontendMessage = { readonly type: string; readonly body: Buffer }

/** The first packet of a connection, which has no type. */
export type StartupPacket = { readonly code: number; readonly body: Buffer }

/** The most bytes of the startup packet; Postgres' own limit. */
export const MAX_STARTUP_PACKET = 10_000
/** The most bytes of a message in Postgres' protocol: a row of COPY, or a parameter, may be large. */
const MAX_PROTOCOL_MESSAGE = 1024 ** 3

/** A client sent an invalid or unsupported message; its connection is closed. */
export class ProtocolError extends Error {
  readonly code: '08P01' | '54000'

  constructor(message: string, code: '08P01' | '54000' = '08P01') {
    super(message)
    this.code = code
  }
}

/** The types of messages that clients may send after the startup. */
const KNOWN_TYPES = 'QPBDECSHFXdcfp'

/** 54000: the client sent more at once than the listener accepts. */
export const messageTooLarge = (limit: number): ProtocolError =>
  new ProtocolError(
    `a message, or messages without a Sync, of more than ${limit} bytes are not taken; raise max_message_size under [limits] in supabase/undock.toml`,
    '54000',
  )

/** Splits a client's stream into messages. It reads only on demand, so that a client cannot fill the memory with work whose results
 *  it does not read. */
export class FrontendReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #maxMessageSize: number
  #buffer: Buffer = Buffer.alloc(0)

  /** @param largest The most bytes of a message after authentication. */
  constructor(stream: Readable, largest: number = MAX_PROTOCOL_MESSAGE) {
    this.#maxMessageSize = largest
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** @returns null when the client has disconnected. @throws {ProtocolError} */
  async startup(): Promise<StartupPacket | null> {
    const head = await this.#peek(4)
    if (!head) return null
    const length = head.readUInt32BE()
    if (length < 8 || length > MAX_STARTUP_PACKET) throw new ProtocolError('invalid length of startup packet')
    const packet = await this.#take(length)
    return packet && { code: packet.readUInt32BE(4), body: packet.subarray(8) }
  }

  /** @returns null when the client has disconnected. @throws {ProtocolError} */
  async next(largest = MAX_PROTOCOL_MESSAGE): Promise<FrontendMessage | null> {
    const head = await this.#peek(5)
    if (!head) return null
    const length = head.readUInt32BE(1)
    const type = String.fromCharCode(head.readUInt8())
    // Checked before the length, which means nothing if this is not a message.
    if (!KNOWN_TYPES.includes(type)) throw new ProtocolError(`invalid frontend message type ${head.readUInt8()}`)
    if (length < 4 || length > largest) throw new ProtocolError('invalid message length')
    if (length > this.#maxMessageSize) throw messageTooLarge(this.#maxMessageSize)
    const message = await this.#take(length + 1)
    return message && { type, body: message.subarray(5) }
  }

  async #take(length: number): Promise<Buffer | null> {
    const bytes = await this.#peek(length)
    if (bytes) this.#buffer = this.#buffer.subarray(length)
    return bytes
  }

  async #peek(length: number): Promise<Buffer | null> {
    if (this.#buffer.length < length) {
      const parts = [this.#buffer]
      for (let total = this.#buffer.length; total < length; ) {
        const { value, done } = await this.#chunks.next()
        if (done) return null
        parts.push(value)
        total += value.length
      }
      this.#buffer = Buffer.concat(parts)
    }
    return this.#buffer.subarray(0, length)
  }
}

/** Splits a body at its first zero byte. @throws {ProtocolError} when there is none. */
export function takeString(body: Buffer): { text: string; rest: Buffer } {
  const end = body.indexOf(0)
  if (end === -1) throw new ProtocolError('invalid string in message')
  return { text: body.toString('utf8', 0, end), rest: body.subarray(end + 1) }
}
