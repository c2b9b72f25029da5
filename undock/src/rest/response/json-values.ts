import type { JsonKind, JsonType } from '../schema-cache/json-types.ts'

/** Which of Postgres' types for JSON prints the value: they differ in spaces and in floats. */
export type JsonFormat = 'json' | 'jsonb'

/** The JSON that Postgres' functions make of a value, from the value's text.
 *  @returns null when the text alone does not determine it. */
export function jsonOf({ kind, isArray }: JsonType, text: string, format: JsonFormat): string | null {
  return isArray ? arrayOf(kind, text, format) : scalarOf(kind, text, format)
}

function scalarOf(kind: JsonKind, text: string, format: JsonFormat): string | null {
  switch (kind) {
    case 'text':
      return text
    case 'string':
      return JSON.stringify(text)
    case 'boolean':
      return text === 't' ? 'true' : 'false'
    case 'float':
      // jsonb stores numbers as numeric, which has no exponents and no negative zero.
      if (format === 'jsonb' && (text.includes('e') || text === '-0')) return null
      return isNumber(text) ? text : `"${text}"`
    case 'number':
      return isNumber(text) ? text : `"${text}"`
    case 'date':
      return dateTimeOf(DATE, text)
    case 'timestamp':
      return dateTimeOf(TIMESTAMP, text)
    case 'timestamptz':
      return dateTimeOf(TIMESTAMP_WITH_ZONE, text)
  }
}

/** The other values of number types are NaN and the two infinities. */
const isNumber = (text: string): boolean => /^-?\d/.test(text)

const DATE = /^(\d{4,}-\d\d-\d\d)$/
const TIMESTAMP = /^(\d{4,}-\d\d-\d\d) ([\d:.]+)$/
/** Postgres leaves out the minutes of a time zone when they are zero; its JSON does not. */
const TIMESTAMP_WITH_ZONE = /^(\d{4,}-\d\d-\d\d) ([\d:.]+[+-]\d\d)(:[\d:]+)?$/

/** @returns null for years BC and for texts in another `DateStyle`. */
function dateTimeOf(pattern: RegExp, text: string): string | null {
  const found = pattern.exec(text)
  if (!found) return text === 'infinity' || text === '-infinity' ? `"${text}"` : null
  const [, date, time, minutes] = found
  if (time === undefined) return `"${date}"`
  return `"${date}T${time}${pattern === TIMESTAMP_WITH_ZONE ? (minutes ?? ':00') : ''}"`
}

/** A quoted value with its escapes, an unquoted value, or a bracket or comma. */
const TOKEN = /"((?:[^"\\]|\\.)*)"|([^{},"]+)|[{},]/gsy

/** Converts an array as Postgres prints it, `{1,NULL,"a b"}`.
 *  @returns null for an array whose index does not begin at 1: Postgres prints its bounds in front. */
function arrayOf(kind: JsonKind, text: string, format: JsonFormat): string | null {
  if (!text.startsWith('{')) return null
  const inner = text.slice(1, -1)
  if (inner !== '' && !NEEDS_TOKENS.test(inner)) return plainArrayOf(kind, inner, format)
  let json = ''
  for (const [token, quoted, bare] of text.matchAll(TOKEN)) {
    const value =
      quoted !== undefined
        ? scalarOf(kind, quoted.replaceAll(/\\(.)/gs, '$1'), format)
        : bare === 'NULL'
          ? 'null'
          : bare !== undefined
            ? scalarOf(kind, bare, format)
            : MARKS[token]
    if (value == null) return null
    json += value === ',' && format === 'jsonb' ? ', ' : value
  }
  return json
}

/** Arrays with one of these characters have several dimensions or quoted values. */
const NEEDS_TOKENS = /["\\{]/

function plainArrayOf(kind: JsonKind, inner: string, format: JsonFormat): string | null {
  const values = inner.split(',').map((bare) => (bare === 'NULL' ? 'null' : scalarOf(kind, bare, format)))
  return values.includes(null) ? null : `[${values.join(format === 'jsonb' ? ', ' : ',')}]`
}

const MARKS: Readonly<Record<string, string>> = { '{': '[', '}': ']', ',': ',' }
