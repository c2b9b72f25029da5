import { UntranslatableError, type Value } from '../haskell/evaluate.ts'
import { Json } from './json.ts'

/** In the specs, texts, byte strings and JSON are interchangeable; an empty list is an empty text. */
export function toBytes(value: Value): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(value)
  if (value instanceof Json) return Buffer.from(value.text)
  if (Array.isArray(value) && value.length === 0) return Buffer.alloc(0)
  throw new UntranslatableError(`no text: ${JSON.stringify(value)}`)
}

export const toText = (value: Value): string => toBytes(value).toString()
