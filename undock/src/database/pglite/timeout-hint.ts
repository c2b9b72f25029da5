import { statementLimitHint } from '../protocol/errors.ts'
import { encodeMessage, readFrames } from '../protocol/frames.ts'

const ERROR = 'E'.charCodeAt(0)
const IS_CANCELLED = '\0C57014\0'

/** Adds to the error of a statement that was cancelled which limit it exceeded. */
export function explainTimeout(response: Uint8Array, limit: number): Uint8Array {
  const frames = [...readFrames(response)].map(({ type, body }) => {
    const isCancelled = type === ERROR && body.includes(IS_CANCELLED)
    const fields = isCancelled ? [body.subarray(0, -1), `H${statementLimitHint(limit)}`, Buffer.alloc(1)] : [body]
    return encodeMessage(String.fromCharCode(type), ...fields)
  })
  return Buffer.concat(frames)
}
