import { restError } from '../errors.ts'
import { isNamed, type MediaType, mediaTypeName } from '../media-type.ts'
import { csvToObjects } from './csv.ts'
import { decodePairs } from './query-params.ts'

/** A body as it goes on: JSON stays the client's own text, so that Postgres reads every number and key as it was sent. */
export type Payload =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'raw'; readonly bytes: Buffer }

export type PayloadWithColumns = { readonly payload: Payload; readonly columns: readonly string[] }

/** @param columns The `columns` parameter: then the body's own keys do not matter, and it is not read here.
 *  @param forFunction A function takes bodies that a table cannot take.
 *  @throws PGRST102 */
export function parsePayload(
  body: Uint8Array,
  media: MediaType,
  columns: readonly string[] | null,
  forFunction: boolean,
): PayloadWithColumns {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (isNamed(media, 'application/json')) {
    if (nestsDeeper(bytes, MOST_NESTED))
      throw invalidBody('Empty or invalid json', `nested deeper than ${MOST_NESTED} levels`)
    if (columns !== null)
      return { payload: { kind: 'json', text: bytes.toString('utf8') }, columns: sortedSet(columns) }
    if (bytes.length === 0 && forFunction) return { payload: { kind: 'json', text: '{}' }, columns: [] }
    return parseJsonPayload(bytes)
  }
  if (isNamed(media, 'text/csv')) {
    if (bytes.length === 0) throw invalidBody('parse error (not enough input) at ""')
    const rows = csvToObjects(bytes.toString('utf8'))
    return {
      payload: { kind: 'json', text: JSON.stringify(rows) },
      columns: uniformKeys(rows, 'All lines must have same number of fields'),
    }
  }
  if (isNamed(media, 'application/x-www-form-urlencoded')) {
    const pairs = decodePairs(bytes.toString('utf8')).map(([name, value]) => [name, value ?? ''] as const)
    const names = sortedSet(pairs.map(([name]) => name))
    if (forFunction) return { payload: { kind: 'form', pairs }, columns: names }
    return { payload: { kind: 'json', text: JSON.stringify(Object.fromEntries(pairs)) }, columns: names }
  }
  if (forFunction && isNamed(media, 'text/plain', 'text/xml', 'application/octet-stream')) {
    return { payload: { kind: 'raw', bytes }, columns: [] }
  }
  throw invalidBody(`Content-Type not acceptable: ${mediaTypeName(media)}`)
}

const invalidBody = (message: string, details: string | null = null): Error =>
  restError('PGRST102', [message], { details })

/** Postgres reads JSON by recursion, to 10,000 levels and some more before it finds its stack too small. */
const MOST_NESTED = 10_000

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** Whether there are more brackets open at once, in what may be JSON. */
function nestsDeeper(bytes: Buffer, most: number): boolean {
  if (bytes.length <= 2 * most) return false
  let depth = 0
  let isText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1
      if (depth > most) return true
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
  }
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseJsonPayload(bytes: Buffer): PayloadWithColumns {
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw invalidBody('Empty or invalid json')
  }
  if (Array.isArray(value))
    return { payload: { kind: 'json', text }, columns: uniformKeys(value, 'All object keys must match') }
  if (isObject(value)) return { payload: { kind: 'json', text }, columns: sortedSet(Object.keys(value)) }
  // A lone number or text has no columns: it counts as no rows at all.
  return { payload: { kind: 'json', text: '[]' }, columns: [] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function uniformKeys(rows: readonly unknown[], complaint: string): string[] {
  const [first] = rows
  if (rows.length === 0) return []
  if (!isObject(first)) throw invalidBody(complaint)
  const keys = new Set(Object.keys(first))
  for (const row of rows) {
    if (!isObject(row)) throw invalidBody(complaint)
    const own = Object.keys(row)
    if (own.length !== keys.size || !own.every((key) => keys.has(key))) throw invalidBody(complaint)
  }
  return sortedSet([...keys])
}

export const sortedSet = (names: Iterable<string>): string[] => [...new Set(names)].sort(byCodePoint)

/** The order that Postgres' C collation and PostgREST give names; JavaScript's default differs beyond U+FFFF only. */
const byCodePoint = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
