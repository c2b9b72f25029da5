import { isUtf8 } from 'node:buffer'
import { restError } from '../errors.ts'
import { isNamed, type MediaType, mediaTypeName } from '../media-type.ts'
import { CsvRows } from './csv-rows.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { CSV_GROWTH, FORM_LIMIT, JsonShape, MAX_FORM_FIELDS, MAX_JSON_DEPTH } from './json-shape.ts'
import { decodePairs } from './query-params.ts'

/** JSON as sent by the client, so that Postgres reads every number and key unchanged. */
export type JsonText = {
  readonly text: Buffer
  /** Whether it's a single object; otherwise it's a list, or wasn't checked. */
  readonly isObject: boolean
}

export type Payload =
  | ({ readonly kind: 'json' } & JsonText)
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'raw'; readonly bytes: Buffer }

type PayloadWithColumns = { readonly payload: Payload; readonly columns: readonly string[] }

/** Reads a body as it arrives, in time and memory proportional to its length. */
export type PayloadReader = {
  /** Reads the next bytes. @throws PGRST102, {BodyTooLargeError} as soon as the fault is certain */
  read(bytes: Uint8Array): void
  /** Ends the body. @throws PGRST102 */
  end(): PayloadWithColumns
}

export type PayloadOptions = {
  readonly columns: readonly string[] | null
  readonly forFunction: boolean
  readonly limit: number
}

/** @throws PGRST102 for an unsupported content type. */
export function payloadReader(media: MediaType, options: PayloadOptions): PayloadReader {
  const { forFunction, limit } = options
  if (isNamed(media, 'application/json')) return jsonReader(options)
  if (isNamed(media, 'text/csv')) return csvReader(limit)
  if (isNamed(media, 'application/x-www-form-urlencoded')) return formReader(options)
  if (forFunction && isNamed(media, 'text/plain', 'text/xml', 'application/octet-stream')) {
    const body = new GrowingBuffer(limit)
    return {
      read: (bytes) => body.append(bytes),
      end: () => ({ payload: { kind: 'raw', bytes: body.toBuffer() }, columns: [] }),
    }
  }
  throw invalidBody(`Content-Type not acceptable: ${mediaTypeName(media)}`)
}

const invalidBody = (message: string, details: string | null = null): Error =>
  restError('PGRST102', [message], { details })

const json = (text: Buffer, isObject: boolean): Payload => ({ kind: 'json', text, isObject })

function jsonReader({ columns, forFunction, limit }: PayloadOptions): PayloadReader {
  const body = new GrowingBuffer(limit)
  const shape = new JsonShape()
  // With named columns, invalid JSON is left to Postgres, whose message the client gets.
  const refuse = (): void => {
    if (shape.fault === 'too deep') throw invalidBody(INVALID_JSON, `nested deeper than ${MAX_JSON_DEPTH} levels`)
    if (shape.fault !== null && columns === null) throw invalidBody(INVALID_JSON)
  }
  return {
    read(bytes) {
      const from = body.length
      body.append(bytes)
      shape.read(body.bytes, from, body.length)
      refuse()
    },
    end() {
      const text = body.toBuffer()
      if (columns !== null) return { payload: json(text, shape.root === 'object'), columns: sortedSet(columns) }
      if (text.length === 0 && forFunction) return { payload: json(Buffer.from('{}'), true), columns: [] }
      shape.end()
      if (shape.fault === null && !isUtf8(text)) shape.fault = 'invalid'
      refuse()
      if (shape.isUneven) throw invalidBody('All object keys must match')
      // A scalar has no columns: it counts as no rows.
      if (shape.root === 'scalar') return { payload: json(Buffer.from('[]'), false), columns: [] }
      return { payload: json(text, shape.root === 'object'), columns: sortedSet(shape.names) }
    },
  }
}

const INVALID_JSON = 'Empty or invalid json'

function csvReader(limit: number): PayloadReader {
  const rows = new CsvRows(CSV_GROWTH * limit)
  const refuse = (): void => {
    if (rows.fault === 'uneven rows') throw invalidBody('All lines must have same number of fields')
    if (rows.fault !== null) throw invalidBody(`parse error (${rows.fault}) at ""`)
  }
  return {
    read(bytes) {
      rows.read(bytes)
      refuse()
    },
    end() {
      const text = rows.end()
      refuse()
      if (!isUtf8(text)) throw invalidBody('parse error (the text is not UTF-8)')
      return { payload: json(text, false), columns: sortedSet(rows.names) }
    },
  }
}

function formReader({ forFunction, limit }: PayloadOptions): PayloadReader {
  const body = new GrowingBuffer(Math.min(limit, FORM_LIMIT))
  return {
    read: (bytes) => body.append(bytes),
    end() {
      const text = body.toBuffer().toString('utf8')
      if (text.split(/[&;]/, MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
        throw invalidBody(`A form may have ${MAX_FORM_FIELDS} fields at most; send JSON instead`)
      const pairs = decodePairs(text).map(([name, value]) => [name, value ?? ''] as const)
      const columns = sortedSet(pairs.map(([name]) => name))
      if (forFunction) return { payload: { kind: 'form', pairs }, columns }
      return { payload: json(Buffer.from(JSON.stringify(Object.fromEntries(pairs))), true), columns }
    },
  }
}

export const sortedSet = (names: Iterable<string>): string[] => [...new Set(names)].sort(byCodePoint)

/** The order of Postgres' C collation and PostgREST; JavaScript's only differs beyond U+FFFF. */
const byCodePoint = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
