import type { JsonKind, JsonType } from '../schema-cache/json-types.ts'

/** The text that Postgres' JSON functions make of a value whose text is given, other than of json and of plain strings.
 *  @param isJsonb Whether it is to look as jsonb prints it.
 *  @returns null for what cannot be told from the text alone. */
export function jsonOf({ kind, isArray }: JsonType, text: string, isJsonb: boolean): string | null {
  return isArray ? arrayOf(kind, text, isJsonb) : scalarOf(kind, text, isJsonb)
}

function scalarOf(kind: JsonKind, text: string, isJsonb: boolean): string | null {
  switch (kind) {
    case 'text':
      return text
    case 'string':
      return JSON.stringify(text)
    case 'boolean':
      return text === 't' ? 'true' : 'false'
    case 'float':
      // jsonb keeps numbers as numeric, which knows no exponent and no negative zero.
      if (isJsonb && (text.includes('e') || text === '-0')) return null
      return isNumber(text) ? text : `"${text}"`
    case 'number':
      return isNumber(text) ? text : `"${text}"`
    case 'date':
      return moment(DATE, text)
    case 'timestamp':
      return moment(TIMESTAMP, text)
    case 'timestamptz':
      return moment(TIMESTAMP_WITH_ZONE, text)
  }
}

/** All others are NaN and the two infinities. */
const isNumber = (text: string): boolean => /^-?\d/.test(text)

const DATE = /^(\d{4,}-\d\d-\d\d)$/
const TIMESTAMP = /^(\d{4,}-\d\d-\d\d) ([\d:.]+)$/
/** Postgres leaves out the minutes of a zone where there are none, and JSON's dates do not. */
const TIMESTAMP_WITH_ZONE = /^(\d{4,}-\d\d-\d\d) ([\d:.]+[+-]\d\d)(:[\d:]+)?$/

/** Years before Christ, and what another `DateStyle` wrote, are left to Postgres. */
function moment(format: RegExp, text: string): string | null {
  const found = format.exec(text)
  if (!found) return text === 'infinity' || text === '-infinity' ? `"${text}"` : null
  const [, date, time, minutes] = found
  if (time === undefined) return `"${date}"`
  return `"${date}T${time}${format === TIMESTAMP_WITH_ZONE ? (minutes ?? ':00') : ''}"`
}

/** Quoted with what follows a backslash as it is, or bare up to the next mark. */
const TOKEN = /"((?:[^"\\]|\\.)*)"|([^{},"]+)|[{},]/gsy

/** An array as Postgres prints it, `{1,NULL,"a b"}`. One that does not begin at 1 says so in front, and is left to Postgres. */
function arrayOf(kind: JsonKind, text: string, isJsonb: boolean): string | null {
  if (!text.startsWith('{')) return null
  const inner = text.slice(1, -1)
  if (inner !== '' && !MARKED.test(inner)) return plainArrayOf(kind, inner, isJsonb)
  let json = ''
  for (const [token, quoted, bare] of text.matchAll(TOKEN)) {
    const value =
      quoted !== undefined
        ? scalarOf(kind, quoted.replaceAll(/\\(.)/gs, '$1'), isJsonb)
        : bare === 'NULL'
          ? 'null'
          : bare !== undefined
            ? scalarOf(kind, bare, isJsonb)
            : MARKS[token]
    if (value == null) return null
    json += value === ',' && isJsonb ? ', ' : value
  }
  return json
}

/** What an array of one dimension whose values stand bare has none of. */
const MARKED = /["\\{]/

function plainArrayOf(kind: JsonKind, inner: string, isJsonb: boolean): string | null {
  const values = inner.split(',').map((bare) => (bare === 'NULL' ? 'null' : scalarOf(kind, bare, isJsonb)))
  return values.includes(null) ? null : `[${values.join(isJsonb ? ', ' : ',')}]`
}

const MARKS: Readonly<Record<string, string>> = { '{': '[', '}': ']', ',': ',' }
