import { createDecoder, readTailAsUint8Array, readUint8, readVarUint } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeUint8, writeUint8Array, writeVarUint } from 'lib0/encoding'

/** Messages between a note's writers, sent as broadcast bytes.
 *  `update`: a Yjs update. `awareness`: who writes where. `stored`: the number of a stored update. `hello`: someone has
 *  joined and asks for the others' states. */
export type Message =
  | { kind: 'update' | 'awareness'; bytes: Uint8Array }
  | { kind: 'stored'; number: number }
  | { kind: 'hello' }

const KINDS = ['update', 'awareness', 'stored', 'hello'] as const

export function encodeMessage(message: Message): Uint8Array<ArrayBuffer> {
  const encoder = createEncoder()
  writeUint8(encoder, KINDS.indexOf(message.kind))
  if (message.kind === 'stored') writeVarUint(encoder, message.number)
  else if (message.kind !== 'hello') writeUint8Array(encoder, message.bytes)
  return toUint8Array(encoder)
}

/** @returns undefined for an invalid message: any writer can send anything. */
export function decodeMessage(bytes: Uint8Array): Message | undefined {
  try {
    const decoder = createDecoder(bytes)
    const kind = KINDS[readUint8(decoder)]
    switch (kind) {
      case 'update':
      case 'awareness':
        return { kind, bytes: readTailAsUint8Array(decoder) }
      case 'stored':
        return { kind, number: readVarUint(decoder) }
      case 'hello':
        return { kind }
      default:
        return undefined
    }
  } catch {
    return undefined
  }
}
