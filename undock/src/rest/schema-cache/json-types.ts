import { type Sql, sql } from '../../kernel/sql.ts'

/** What JSON Postgres makes of a value's text: the text itself, a string of it, a boolean of `t` and `f`, a number (a string where
 *  it is none, such as NaN), a moment in ISO 8601 whatever `DateStyle` says. */
export type JsonKind = 'text' | 'string' | 'boolean' | 'number' | 'float' | 'date' | 'timestamp' | 'timestamptz'

export type JsonType = {
  readonly kind: JsonKind
  /** Whether it is an array of such values. */
  readonly isArray: boolean
  /** Whether jsonb keeps the text. */
  readonly isSameInJsonb: boolean
}

/** By the oid of a type. */
export type JsonTypes = ReadonlyMap<number, JsonType>

/** All other types that have no fields and no cast to json become strings. */
const KINDS: ReadonlyMap<string, JsonKind> = new Map([
  ['bool', 'boolean'],
  ['int2', 'number'],
  ['int4', 'number'],
  ['int8', 'number'],
  ['numeric', 'number'],
  ['float4', 'float'],
  ['float8', 'float'],
  ['json', 'text'],
  ['jsonb', 'text'],
  ['date', 'date'],
  ['timestamp', 'timestamp'],
  ['timestamptz', 'timestamptz'],
])

/** Types whose JSON can be told from their text, and their arrays; row types and types with a cast to json of their own are none. */
export const jsonTypesQuery: Sql = sql`
select t.oid, t.typarray as array,
  case when t.typnamespace = 'pg_catalog'::regnamespace then t.typname else '' end as name
from pg_catalog.pg_type t
where t.typtype in ('b', 'e', 'r', 'm') and t.typcategory <> 'A' and not exists (
  select from pg_catalog.pg_cast c where c.castsource = t.oid and c.casttarget = 'json'::regtype and c.castmethod = 'f'
)`

/** @property array The oid of the type of its arrays, or 0. */
export type JsonTypeRow = { readonly oid: number; readonly array: number; readonly name: string }

export const toJsonTypes = (rows: readonly JsonTypeRow[]): JsonTypes =>
  new Map(
    rows.flatMap(({ oid, array, name }): [number, JsonType][] => {
      const type = { kind: KINDS.get(name) ?? 'string', isSameInJsonb: name !== 'json' }
      return [
        [oid, { ...type, isArray: false }],
        [array, { ...type, isArray: true }],
      ]
    }),
  )
