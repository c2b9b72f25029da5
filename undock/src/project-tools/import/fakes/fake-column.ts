import { parse } from 'postgres-array'
import type { Column } from '../catalog.ts'
import { isJson, kindOfName, kindOfValue } from './choose-kind.ts'
import { EMAIL, type FakeOf, type Kind } from './values.ts'

/** A name with its colon, a string, a number, or the start or end of an object or array. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]]/g

const ACCOUNT_KEYS = new Set(['sub', 'provider_id'])
/** Claims about a user that aren't personal. */
const PLAIN_KEYS = new Set([
  'iss',
  'aud',
  'role',
  'roles',
  'provider',
  'providers',
  'locale',
  'lang',
  'theme',
  'timezone',
])

/** How to replace values at a place. @property ofAll The kind of values that neither name nor value reveal. */
type KindInObject = { readonly kind: Kind | null; readonly ofAll: Kind | null }

/** Replaces personal values in JSON without changing the rest, because a parser would round numbers. @param ofAll The kind of texts that
 *  neither name nor value reveal; null keeps them. @param scrub Replaces personal data within a longer text. */
function fakeJson(
  json: string,
  ofAll: Kind | null,
  { fakeOf, scrub, table }: { fakeOf: FakeOf; scrub: (text: string) => string; table: string },
): string {
  const around: KindInObject[] = [{ kind: null, ofAll }]
  let member: KindInObject | null = null
  const placeOf = (name: string): KindInObject => {
    const outer = around.at(-1) ?? { kind: null, ofAll }
    if (PLAIN_KEYS.has(name)) return { kind: null, ofAll: null }
    const kind = ACCOUNT_KEYS.has(name) ? 'account' : kindOfName(name, ofAll === null ? table : 'users')
    return { kind: kind ?? outer.kind, ofAll: outer.ofAll }
  }
  return json.replace(TOKEN, (token: string, colon?: string) => {
    if (colon !== undefined) {
      member = placeOf(JSON.parse(token.slice(0, -colon.length)) as string)
      return token
    }
    const place = member ?? around.at(-1) ?? { kind: null, ofAll }
    member = null
    if (token === '{' || token === '[') around.push(place)
    else if (token === '}' || token === ']') around.pop()
    else if (token.startsWith('"')) {
      const text = JSON.parse(token) as string
      const kind = place.kind ?? kindOfValue(text) ?? place.ofAll
      return JSON.stringify(kind ? fakeOf(kind, text) : scrub(text))
    } else if (place.kind === 'phone number' || place.kind === 'number') return fakeOf('number', token)
    return token
  })
}

/** Replaces one value of a column, in the text form of its type. */
export type Replace = (value: string) => string

/** Type categories that can contain text: strings, composite types, and others such as hstore and xml. */
const HOLDING_TEXT = /[SCU]/
const PLAIN_TYPES = new Set(['uuid', 'bytea'])

/** @param kind Null replaces only email addresses within the text. @returns null if the column's values are kept. */
export function fakeColumn(column: Column, kind: Kind | null, table: string, fakeOf: FakeOf): Replace | null {
  const one = fakeOne(column, kind, table, fakeOf)
  if (one === null || !column.isArray) return one
  return (value) => renderArray(parse(value) as Nested, one)
}

function fakeOne(column: Column, kind: Kind | null, table: string, fakeOf: FakeOf): Replace | null {
  const scrub = (text: string): string =>
    text.includes('@') ? text.replace(EMAIL, (address) => fakeOf('e-mail', address)) : text
  if (isJson(column)) return (value) => fakeJson(value, kind, { fakeOf, scrub, table })
  // It contains words of other columns, which can't be identified.
  if (column.base === 'tsvector') return () => ''
  if (kind === null) return HOLDING_TEXT.test(column.category) && !PLAIN_TYPES.has(column.base) ? scrub : null
  if (column.base === 'bytea') return (value) => fakeOf('bytes', value)
  return (value) => fakeOf(kind, value, column.maxLength)
}

type Nested = readonly (string | Nested | null)[]

/** @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function renderArray(values: Nested, replace: Replace): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL'
    if (typeof value !== 'string') return renderArray(value, replace)
    return `"${replace(value).replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}
