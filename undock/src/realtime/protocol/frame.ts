import { JsonTooComplexError, parseJson } from '../../kernel/json.ts'

/** A socket's serializer. 1.0.0 sends JSON objects; 2.0.0 JSON arrays, and binary frames for broadcasts. `2.0.0-text`
 *  is 2.0.0 for long polling, whose clients send binary frames but receive text only. */
export type Version = '1.0.0' | '2.0.0' | '2.0.0-text'

/** A broadcast whose payload stays bytes, so it's never parsed in transit. */
export type UserBroadcast = {
  readonly event: string
  readonly encoding: 'json' | 'binary'
  readonly payload: Buffer
  readonly meta?: Readonly<Record<string, unknown>>
}

type Addressed = { readonly topic: string; readonly ref: string | null; readonly joinRef: string | null }

export type Incoming = Addressed &
  (
    | { readonly kind: 'message'; readonly event: string; readonly payload: unknown }
    | { readonly kind: 'broadcast'; readonly broadcast: UserBroadcast }
  )

export class MalformedFrameError extends Error {}

const USER_BROADCAST_PUSH = 3
const USER_BROADCAST = 4
const FIELD_BYTES = 255

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a frame of either serializer.
 *  @throws {MalformedFrameError} for invalid messages: like upstream, the socket stays open. */
export function decodeFrame(data: Buffer, isBinary: boolean, version: Version): Incoming {
  if (isBinary) {
    if (version === '1.0.0') throw new MalformedFrameError('serializer 1.0.0 has no binary frames')
    return decodeBinary(data)
  }
  const parsed = readJson(text(data))
  const [joinRef, ref, topic, event, payload] = version === '1.0.0' ? fromObject(parsed) : fromArray(parsed)
  if (typeof topic !== 'string' || typeof event !== 'string')
    throw new MalformedFrameError('topic and event must be strings')
  return { kind: 'message', joinRef: reference(joinRef), ref: reference(ref), topic, event, payload: payload ?? {} }
}

function fromObject(message: unknown): unknown[] {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new MalformedFrameError('expected a V1 object')
  const { join_ref, ref, topic, event, payload } = message as Record<string, unknown>
  return [join_ref, ref, topic, event, payload]
}

function fromArray(message: unknown): unknown[] {
  if (!Array.isArray(message) || message.length < 5) throw new MalformedFrameError('expected a V2 array')
  return message
}

function reference(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new MalformedFrameError('ref and join_ref must be strings')
}

function decodeBinary(data: Buffer): Incoming {
  if (data[0] !== USER_BROADCAST_PUSH) throw new MalformedFrameError(`unknown kind of binary frame: ${data[0]}`)
  if (data.length < 7) throw new MalformedFrameError('binary frame ends inside its header')
  const sizes = [1, 2, 3, 4, 5].map((index) => data[index] ?? 0)
  let offset = 7
  const [joinRef = '', ref = '', topic = '', event = '', meta = ''] = sizes.map((size) => {
    if (offset + size > data.length) throw new MalformedFrameError('binary frame ends inside its header')
    const field = text(data.subarray(offset, offset + size))
    offset += size
    return field
  })
  const encoding = data[6] === 0 ? 'binary' : 'json'
  // Copied, because other frames may share the socket's receive buffer.
  const payload = Buffer.from(data.subarray(offset))
  // An invalid JSON payload would break subscribers.
  if (encoding === 'json') readJson(text(payload))
  if (meta) readJson(meta)
  return {
    kind: 'broadcast',
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    broadcast: { event, encoding, payload },
  }
}

function text(data: Buffer): string {
  try {
    return utf8.decode(data)
  } catch (cause) {
    throw new MalformedFrameError('not UTF-8', { cause })
  }
}

function readJson(source: string): unknown {
  try {
    return parseJson(source)
  } catch (cause) {
    throw new MalformedFrameError(cause instanceof JsonTooComplexError ? cause.message : 'not JSON', { cause })
  }
}

export type Outgoing = Addressed & { readonly event: string /** JSON text. */; readonly payload: string }

/** Encodes a text frame; `payload` is already JSON. */
export function encodeText({ joinRef, ref, topic, event, payload }: Outgoing, version: Version): Buffer {
  const [j, r, t, e] = [joinRef, ref, topic, event].map((field) => JSON.stringify(field))
  return Buffer.from(
    version === '1.0.0'
      ? `{"topic":${t},"event":${e},"payload":${payload},"ref":${r},"join_ref":${j}}`
      : `[${j},${r},${t},${e},${payload}]`,
  )
}

export type EncodedFrame = { readonly data: Buffer; readonly binary: boolean }

/** Encodes a broadcast: binary for 2.0.0, otherwise JSON.
 *  @returns null if the serializer can't express it (bytes in JSON, a name over 255 bytes in 2.0.0). */
export function encodeBroadcast(topic: string, broadcast: UserBroadcast, version: Version): EncodedFrame | null {
  if (version !== '2.0.0') {
    if (broadcast.encoding === 'binary') return null
    const meta = broadcast.meta ? `,"meta":${JSON.stringify(broadcast.meta)}` : ''
    const body = `{"event":${JSON.stringify(broadcast.event)},"payload":${broadcast.payload},"type":"broadcast"${meta}}`
    return {
      data: encodeText({ topic, event: 'broadcast', payload: body, ref: null, joinRef: null }, version),
      binary: false,
    }
  }
  const fields = [topic, broadcast.event, broadcast.meta ? JSON.stringify(broadcast.meta) : ''].map((f) =>
    Buffer.from(f),
  )
  if (fields.some((field) => field.length > FIELD_BYTES)) return null
  const header = Buffer.from([
    USER_BROADCAST,
    ...fields.map((field) => field.length),
    broadcast.encoding === 'json' ? 1 : 0,
  ])
  return { data: Buffer.concat([header, ...fields, broadcast.payload]), binary: true }
}

const FINAL = 0x80
const TEXT = 0x01
const BINARY = 0x02

/** Builds an unmasked WebSocket frame (RFC 6455 §5.2), so a broadcast is framed once for all sockets. */
export function wireFrame(data: Buffer, binary: boolean): Buffer {
  const header = data.length < 126 ? 2 : data.length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + data.length)
  frame[0] = FINAL | (binary ? BINARY : TEXT)
  if (header === 2) frame[1] = data.length
  else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(data.length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(data.length), 2)
  }
  data.copy(frame, header)
  return frame
}

export function frameText(frame: Buffer): string {
  const length = frame[1] ?? 0
  const header = length === 127 ? 10 : length === 126 ? 4 : 2
  return frame.toString('utf8', header)
}
