import type { Notification } from '../db.ts'

/** A message of the Postgres protocol: its type byte and the body after the length. */
export type Frame = { readonly type: number; readonly body: Buffer }

const NOTIFICATION = 'A'.charCodeAt(0)
const ERROR = 'E'.charCodeAt(0)

/** Iterates over a complete response's messages. Bodies are views of the given bytes. */
export function* readFrames(bytes: Uint8Array): Generator<Frame> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = 0; offset + 5 <= buffer.length; ) {
    const length = buffer.readUInt32BE(offset + 1)
    yield { type: buffer[offset] as number, body: buffer.subarray(offset + 5, offset + 1 + length) }
    offset += 1 + length
  }
}

/** Encodes a message of the protocol; strings in `parts` are zero-terminated. */
export function encodeMessage(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? cstring(part) : part)))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const cstring = (text: string) => Buffer.from(`${text}\0`)

export type AsyncMessages = {
  readonly notifications: readonly (Notification & { readonly processId: number })[]
  readonly fatalError: string | null
}

export function readAsyncMessages(bytes: Uint8Array): AsyncMessages {
  const notifications: (Notification & { processId: number })[] = []
  let fatalError: string | null = null
  for (let offset = 0; offset + 5 <= bytes.length; ) {
    const length = readLength(bytes, offset + 1)
    const type = bytes[offset]
    if (type === NOTIFICATION) {
      // After the length: the sender's process id (4 bytes), then two zero-terminated strings.
      const body = Buffer.from(bytes.buffer, bytes.byteOffset + offset + 9, length - 8)
      const end = body.indexOf(0)
      notifications.push({
        processId: readLength(bytes, offset + 5),
        channel: body.toString('utf8', 0, end),
        payload: body.toString('utf8', end + 1, body.length - 1),
      })
    } else if (type === ERROR) {
      fatalError ??= fatalErrorIn(Buffer.from(bytes.buffer, bytes.byteOffset + offset + 5, length - 4).toString('utf8'))
    }
    offset += 1 + length
  }
  return { notifications, fatalError }
}

const DISK_FULL = '53100'

/** Finds a PANIC or a failed write to the write-ahead log, which leaves the embedded engine's only session in the
 *  middle of its work. Each field of an error is a letter and a zero-terminated text. */
function fatalErrorIn(body: string): string | null {
  const fields = body.split('\0')
  const field = (letter: string) => fields.find((one) => one.startsWith(letter))?.slice(1) ?? ''
  const isLog = field('C') === DISK_FULL && field('M').includes('"pg_wal/')
  return isLog || field('V') === 'PANIC' ? field('M') : null
}

const readLength = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
