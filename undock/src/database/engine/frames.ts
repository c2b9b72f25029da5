import type { Notification } from '../db.ts'

/** One message of the Postgres protocol: its type byte and the body after the length. */
export type Frame = { readonly type: number; readonly body: Buffer }

const NOTIFICATION = 'A'.charCodeAt(0)

/** Walks the messages of a complete response. Bodies are views of the given bytes. */
export function* readFrames(bytes: Uint8Array): Generator<Frame> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = 0; offset + 5 <= buffer.length; ) {
    const length = buffer.readUInt32BE(offset + 1)
    yield { type: buffer[offset] as number, body: buffer.subarray(offset + 5, offset + 1 + length) }
    offset += 1 + length
  }
}

/** The NOTIFYs that came along with a response. */
export function readNotifications(bytes: Uint8Array): Notification[] {
  const found: Notification[] = []
  for (let offset = 0; offset + 5 <= bytes.length; ) {
    const length = readLength(bytes, offset + 1)
    if (bytes[offset] === NOTIFICATION) {
      // After the length: the sender's process id (4 bytes), then two zero-terminated strings.
      const body = Buffer.from(bytes.buffer, bytes.byteOffset + offset + 9, length - 8)
      const end = body.indexOf(0)
      found.push({ channel: body.toString('utf8', 0, end), payload: body.toString('utf8', end + 1, body.length - 1) })
    }
    offset += 1 + length
  }
  return found
}

const readLength = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
