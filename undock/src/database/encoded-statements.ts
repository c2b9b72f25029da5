import type { Statement } from '../kernel/sql.ts'
import type { Prepared } from './protocol/exchange.ts'
import { encodeStatement } from './protocol/exchange.ts'

type Encoded = { readonly prepared: Prepared; readonly messages: readonly Buffer[] }
const encoded = new WeakMap<Statement, Encoded>()

/** Encodes a statement into protocol messages. The messages of a statement object that is run repeatedly (`isReused`)
 *  are cached.
 *
 *  Gain, together with the objects above it (rest/settings-cache.ts, settings-statement.ts): 18 → 5 µs of the main thread for
 *  each request (docs/performance.md). */
export function encodeOnce(one: Statement, prepared: Prepared | null): readonly Buffer[] {
  const isReused = one.isReused === true && prepared !== null && prepared.columns !== null
  const known = isReused ? encoded.get(one) : undefined
  if (known && known.prepared === prepared) return known.messages
  const messages = encodeStatement(one, prepared)
  if (isReused) encoded.set(one, { prepared, messages })
  return messages
}
