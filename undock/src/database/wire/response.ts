import { readFrames } from '../engine/frames.ts'
import type { TransactionStatus } from './backend.ts'
import { encodeMessage } from './frontend.ts'

/** The engine's answer to one exchange, as far as it goes to the client. */
export type Filtered = {
  readonly bytes: Buffer
  /** The last status in the answer; null when it had none. */
  readonly status: TransactionStatus | null
  readonly failed: boolean
  /** How many Parse messages made a statement. */
  readonly parsed: number
  /** The engine asked for COPY data; the message is not in `bytes`. */
  readonly copyIn: Buffer | null
}

/** Takes out of an answer what the client must not see.
 *  - ReadyForQuery: after an error PGlite sends one too many, or one before the Sync; the caller sends its own.
 *  - NOTIFY: each client gets those of its own channels, by another way.
 *  - The answers to Close messages that the client did not send.
 *  @param closes For each Close on its way, in order, whether the client sent it; those answered are taken off.
 *  @param restoreNames Puts the client's own names into the text of an error. */
export function filterResponse(bytes: Uint8Array, closes: boolean[], restoreNames: (text: string) => string): Filtered {
  const kept: Buffer[] = []
  let status: TransactionStatus | null = null
  let failed = false
  let parsed = 0
  let copyIn: Buffer | null = null
  for (const { type, body } of readFrames(bytes)) {
    const kind = String.fromCharCode(type)
    if (kind === 'Z') status = body.toString('latin1', 0, 1) as TransactionStatus
    else if (kind === 'G') copyIn = encodeMessage('G', body)
    else if (kind === 'A') continue
    else if (kind === '3' && closes.shift() === false) continue
    else if (kind === 'E') {
      failed = true
      const text = body.toString()
      const restored = restoreNames(text)
      // An error in another encoding than UTF-8 must pass byte for byte.
      kept.push(encodeMessage(kind, restored === text ? body : Buffer.from(restored)))
    } else {
      if (kind === '1') parsed += 1
      kept.push(encodeMessage(kind, body))
    }
  }
  return { bytes: Buffer.concat(kept), status, failed, parsed, copyIn }
}
