import { authError } from '../errors.ts'

/** Converts a value to what Postgres can store as text or JSON: like Go, replaces lone surrogates.
 *  @throws `validation_failed` for the NUL character, which it can't store */
export function storable<T>(value: T): T {
  return stored(value) as T
}

function stored(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw authError('textNul')
    return value.toWellFormed()
  }
  if (Array.isArray(value)) return value.map(stored)
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [stored(key) as string, stored(item)]))
  return value
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))
