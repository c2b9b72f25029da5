import type { TransactionStatus } from '../protocol/exchange.ts'
import { encodeMessage, readFrames } from '../protocol/frames.ts'

/** The engine's response to one exchange, as the client sees it. */
export type ClientResponse = {
  readonly bytes: Buffer
  /** The last transaction status in the response; null without one. */
  readonly status: TransactionStatus | null
  readonly failed: boolean
  /** How many Parse messages succeeded. */
  readonly parsed: number
  /** The engine's request for COPY data, which is not in `bytes`; null without one. */
  readonly copyIn: Buffer | null
}

/** Removes the messages from a response that the client must not see:
 *  - ReadyForQuery: after an error PGlite sends one too many, or one before the Sync; the caller sends its own.
 *  - Notifications: each client gets those of its own channels separately.
 *  - Responses to Close messages that the client did not send.
 *  @param closes For each Close that was sent, in order, whether it came from the client; answered ones are removed.
 *  @param restoreNames Puts the client's own names into the text of an error. */
export function filterResponse(
  bytes: Uint8Array,
  closes: boolean[],
  restoreNames: (text: string) => string,
): ClientResponse {
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
      // An error in another encoding than UTF-8 has to be passed on unchanged.
      kept.push(encodeMessage(kind, restored === text ? body : Buffer.from(restored)))
    } else {
      if (kind === '1') parsed += 1
      kept.push(encodeMessage(kind, body))
    }
  }
  return { bytes: Buffer.concat(kept), status, failed, parsed, copyIn }
}
