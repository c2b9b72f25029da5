import type { Readable } from 'node:stream'

/** A message of a client: its type and its body, without the length. */
export type FrontendMessage = { readonly type: string; readonly body: Buffer }

/** The first packet of a connection, which has no type. */
export type StartupPacket = { readonly code: number; readonly body: Buffer }

/** What a client may send before it has said who it is; Postgres' own limit. */
const LARGEST_STARTUP = 10_000
/** One row of a COPY, or one parameter, may be large; a length beyond this is not Postgres' protocol. */
const LARGEST_MESSAGE = 1024 ** 3

export class ProtocolViolation extends Error {}

/** Cuts a client's stream of bytes into messages. Reads on only when asked, so that a client cannot fill the memory
 *  with work it does not wait for. */
export class FrontendReader {
  readonly #chunks: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** @returns null when the client has gone. @throws {ProtocolViolation} */
  async startup(): Promise<StartupPacket | null> {
    const head = await this.#peek(4)
    if (!head) return null
    const length = head.readUInt32BE()
    if (length < 8 || length > LARGEST_STARTUP) throw new ProtocolViolation('invalid length of startup packet')
    const packet = await this.#take(length)
    return packet && { code: packet.readUInt32BE(4), body: packet.subarray(8) }
  }

  /** @returns null when the client has gone. @throws {ProtocolViolation} */
  async next(largest = LARGEST_MESSAGE): Promise<FrontendMessage | null> {
    const head = await this.#peek(5)
    if (!head) return null
    const length = head.readUInt32BE(1)
    if (length < 4 || length > largest) throw new ProtocolViolation('invalid message length')
    const type = String.fromCharCode(head.readUInt8())
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

/** A message as it goes on to the engine. */
export function encodeMessage(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? cstring(part) : part)))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const cstring = (text: string) => Buffer.from(`${text}\0`)

/** Splits a body at its first zero byte. @throws {ProtocolViolation} when there is none. */
export function takeString(body: Buffer): { text: string; rest: Buffer } {
  const end = body.indexOf(0)
  if (end === -1) throw new ProtocolViolation('invalid string in message')
  return { text: body.toString('utf8', 0, end), rest: body.subarray(end + 1) }
}
