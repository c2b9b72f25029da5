import { isDeepStrictEqual } from 'node:util'
import { Constructed, Tuple, type Value } from '../haskell/evaluate.ts'
import { Json, readJson } from './json.ts'

export const NOTHING = new Constructed('Nothing')
export const just = (value: Value): Constructed => new Constructed('Just', [value])
export const maybe = (value: Value | undefined): Constructed => (value === undefined ? NOTHING : just(value))

/** Compares texts and JSON by content, statuses by number and header names ignoring case. */
export function equal(one: Value, other: Value): boolean {
  if (one instanceof Tuple && other instanceof Tuple) {
    const [name, ...values] = one.items
    const [otherName, ...otherValues] = other.items
    return equal(lowerCase(name), lowerCase(otherName)) && equalAll(values, otherValues)
  }
  if (one instanceof Constructed && other instanceof Constructed && one.name !== 'Status')
    return one.name === other.name && equalAll(one.items, other.items)
  if (Array.isArray(one) && Array.isArray(other)) return equalAll(one, other)
  return isDeepStrictEqual(plain(one), plain(other))
}

const equalAll = (some: readonly Value[], others: readonly Value[]): boolean =>
  some.length === others.length && some.every((one, index) => equal(one, others[index]))

export const lowerCase = (name: Value): Value => (typeof name === 'string' ? name.toLowerCase() : name)

function plain(value: Value): unknown {
  if (value instanceof Json) return value.value
  if (value instanceof Constructed && value.name === 'Status') return value.fields.statusCode
  if (Buffer.isBuffer(value)) return readJson(value.toString())?.value ?? value.toString()
  return value
}

export function shown(value: Value): string {
  if (typeof value === 'function') return 'the condition'
  if (value instanceof Constructed) return [value.name, ...value.items.map(shown)].join(' ')
  if (value instanceof Json) return value.text
  if (Buffer.isBuffer(value)) return value.toString().slice(0, 400)
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof Tuple) return `(${value.items.map(shown).join(', ')})`
  return String(value)
}
