import { parse } from 'postgres-array'
import type { Column } from '../catalog.ts'
import { isJson } from './choose-kind.ts'
import { fakeJson } from './json.ts'
import { EMAIL, type FakeOf, type Kind } from './values.ts'

/** Replaces one value of a column, in the text form of its type. */
export type Replace = (value: string) => string

/** Categories of types that may hold text: strings, composite types, and others such as hstore and xml. */
const HOLDING_TEXT = /[SCU]/
const PLAIN_TYPES = new Set(['uuid', 'bytea'])

/** @param kind Null replaces only addresses of mail within the text.
 *  @returns null when the column's values stay. */
export function fakeColumn(column: Column, kind: Kind | null, table: string, fakeOf: FakeOf): Replace | null {
  const one = fakeOne(column, kind, table, fakeOf)
  if (one === null || !column.isArray) return one
  return (value) => renderArray(parse(value) as Nested, one)
}

function fakeOne(column: Column, kind: Kind | null, table: string, fakeOf: FakeOf): Replace | null {
  const scrub = (text: string): string =>
    text.includes('@') ? text.replace(EMAIL, (address) => fakeOf('e-mail', address)) : text
  if (isJson(column)) return (value) => fakeJson(value, kind, { fakeOf, scrub, table })
  // It holds words of other columns, and nothing tells which.
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
