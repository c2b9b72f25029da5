import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyTooLargeError } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { parseMediaType } from '../media-type.ts'
import { type PayloadOptions, payloadReader } from './payload.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000)

type PayloadResult = { json: string; columns: readonly string[] } | { refused: string }

function outcome(
  type: string,
  body: Buffer,
  piece = body.length,
  options: Partial<PayloadOptions> = {},
): PayloadResult {
  try {
    const reader = payloadReader(parseMediaType(type), {
      columns: null,
      forFunction: false,
      limit: 2 ** 20,
      ...options,
    })
    for (let at = 0; at < body.length; at += piece) reader.read(body.subarray(at, at + piece))
    const { payload, columns } = reader.end()
    return { json: payload.kind === 'json' ? payload.text.toString() : payload.kind, columns }
  } catch (error) {
    if (error instanceof ServiceError && !(error instanceof BodyTooLargeError)) return { refused: error.message }
    throw error
  }
}

const JSON_TYPE = 'application/json'

function expected(text: string): PayloadResult {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { refused: 'Empty or invalid json' }
  }
  const keys = (row: unknown): string[] => Object.keys(row as object).sort()
  const isObject = (row: unknown): boolean => typeof row === 'object' && row !== null && !Array.isArray(row)
  if (isObject(value)) return { json: text, columns: keys(value) }
  if (!Array.isArray(value)) return { json: '[]', columns: [] }
  if (value.length === 0) return { json: text, columns: [] }
  const isEven = value.every((row) => isObject(row) && isDeepStrictEqual(keys(row), keys(value[0])))
  return isEven ? { json: text, columns: keys(value[0]) } : { refused: 'All object keys must match' }
}

describe('parses JSON in chunks like the whole text', () => {
  const piece = fc.integer({ min: 1, max: 7 })

  test('any JSON, and rows with the same, other and missing names', () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'ä', '__proto__', '')
    const rows = fc.array(fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), { maxLength: 4 })
    const body = fc.oneof(
      fc.json(),
      rows.map((some) => JSON.stringify(some)),
    )
    fc.assert(
      fc.property(body, piece, (text, size) => {
        expect(outcome(JSON_TYPE, Buffer.from(text), size)).toEqual(expected(text))
      }),
      { numRuns: RUNS },
    )
  })

  // V8's own parser confuses some of these, so the expectation doesn't use it.
  test('names in any order, with escapes and repeated', () => {
    const spelling = fc.constantFrom(['a', '"a"'], ['a', '"\\u0061"'], ['"', '"\\""'], ['\\', '"\\\\"'], ['ä', '"ä"'])
    const row = fc.array(fc.tuple(spelling, fc.constantFrom('1', '{"x":[{}]}', '"\\""', 'null')), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 3 }), piece, (rows, size) => {
        const text = `[${rows.map((one) => `{${one.map(([[, name], value]) => `${name}:${value}`).join()}}`).join()}]`
        const [first = [], ...others] = rows.map((one) => [...new Set(one.map(([[name]]) => name as string))].sort())
        expect(outcome(JSON_TYPE, Buffer.from(text), size)).toEqual(
          others.every((names) => isDeepStrictEqual(names, first))
            ? { json: text, columns: first }
            : { refused: 'All object keys must match' },
        )
      }),
      { numRuns: RUNS },
    )
  })

  test('invalid JSON', () => {
    const bits = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', 'true', 'tru', 'null', 'false', '0', '01', '-', '1.5', '1.'],
      ...['e', '1e5', '1E-', '+', ' ', '\n', '\t', '\u0001', '\\u00e4', '\\u0', '\\x', 'ä', '\u00a0', '\ufeff', '{}'],
    )
    const text = fc.array(bits, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, piece, (almost, size) => {
        expect(outcome(JSON_TYPE, Buffer.from(almost), size)).toEqual(expected(almost))
      }),
      { numRuns: 5 * RUNS },
    )
  })

  test("rejects bytes that aren't UTF-8", () => {
    expect(outcome(JSON_TYPE, Buffer.from([0x22, 0xff, 0x22]))).toEqual({ refused: 'Empty or invalid json' })
  })

  test("limits the remembered names to a table's maximum", () => {
    const row = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name_${at}`, 0]))
    const read = outcome(JSON_TYPE, Buffer.from(JSON.stringify([row, row])))
    expect('columns' in read && read.columns.length).toBe(1_700)
  })
})

describe('CSV', () => {
  test.each([
    ['a last line without a line break', 'a\n1', '[{"a":"1"}]'],
    ['blank lines', '\n\na\n\n1\r\n\r\n2\r3\n\n', '[{"a":"1"},{"a":"2"},{"a":"3"}]'],
    ['extra fields', 'a\n1,2,"3"\n', '[{"a":"1"}]'],
    ['the name __proto__', '__proto__\nx\n', '[{"__proto__":"x"}]'],
    [
      'quotes, commas and line breaks in quotes',
      '"a ""b""",c\n"1,\r\n""2""",\n',
      '[{"a \\"b\\"":"1,\\r\\n\\"2\\"","c":""}]',
    ],
    ['NULL, also in quotes', 'a,b\nNULL,"NULL"\nNULLS,null\n', '[{"a":null,"b":null},{"a":"NULLS","b":"null"}]'],
    ['backslashes and control characters', 'a\n\\\u0001\t\n', '[{"a":"\\\\\\u0001\\t"}]'],
    ['only a header', 'a,b\n', '[]'],
  ])('%s', (_name, text, json) => {
    for (const size of [1, 2, 3, text.length])
      expect(outcome('text/csv', Buffer.from(text), size)).toMatchObject({ json })
  })

  test.each([
    ['an empty body', '', 'parse error (not enough input) at ""'],
    ['an unclosed quote', 'a\n"1', 'parse error (not enough input) at ""'],
    ['text after a quote', 'a\n"1"2\n', 'parse error (unexpected text after a quoted field) at ""'],
    ['a line with missing fields', 'a,b\n1\n', 'All lines must have same number of fields'],
    ['too many names', `${'a,'.repeat(2_000)}\n`, 'parse error (too many names) at ""'],
  ])('rejects %s', (_name, text, refused) => {
    expect(outcome('text/csv', Buffer.from(text))).toEqual({ refused })
  })

  test('keeps its values', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', 'ä', '\u0007', ' ', '€') })
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(field, field)), fc.integer({ min: 1, max: 5 }), (rows, size) => {
        const text = [['x', 'y'], ...rows].map((row) => `${row.map(quoted).join()}\r\n`).join('')
        const read = outcome('text/csv', Buffer.from(text), size)
        expect('json' in read && JSON.parse(read.json)).toEqual(rows.map(([x, y]) => ({ x, y })))
      }),
      { numRuns: RUNS / 4 },
    )
  })

  test("isn't converted to one object per cell", () => {
    const reader = payloadReader(parseMediaType('text/csv'), { columns: null, forFunction: false, limit: 2 ** 26 })
    const piece = Buffer.from('1,2\n'.repeat(16_384))
    const before = process.memoryUsage().heapUsed
    reader.read(Buffer.from('a,b\n'))
    for (let pieces = 0; pieces < 64; pieces += 1) reader.read(piece)
    const { payload } = reader.end()
    // As objects or strings, a million rows would take a hundred megabytes, including garbage.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20)
    expect(payload.kind === 'json' && payload.text.length).toBeGreaterThan(16 * 2 ** 20)
  })

  test("long names can't expand a small body into a large text", () => {
    const text = `${'n'.repeat(1_000)}\n${'1\n'.repeat(1_000)}`
    expect(() => outcome('text/csv', Buffer.from(text), 100, { limit: text.length })).toThrow(BodyTooLargeError)
  })
})

test('limits the fields of a form', () => {
  const type = 'application/x-www-form-urlencoded'
  expect(outcome(type, Buffer.from('a=1&'.repeat(2_000)))).toEqual({ refused: expect.stringContaining('2000 fields') })
  expect(() => outcome(type, Buffer.alloc(2 * 2 ** 20), 65_536, { limit: 2 ** 30 })).toThrow(BodyTooLargeError)
})
