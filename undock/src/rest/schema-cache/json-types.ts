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

/** Types whose JSON can be told from their text; row types and types with a cast to json of their own are none. */
export const jsonTypesQuery: Sql = sql`
with scalars as (
  select t.oid, case when t.typnamespace = 'pg_catalog'::regnamespace then t.typname::text else '' end as name
  from pg_catalog.pg_type t
  where t.typtype in ('b', 'e', 'r', 'm') and t.typsubscript <> 'array_subscript_handler'::regproc
    and not exists (
      select from pg_catalog.pg_cast c where c.castsource = t.oid and c.casttarget = 'json'::regtype and c.castmethod = 'f'
    )
)
select oid, name, false as array from scalars
union all
select a.oid, s.name, true from scalars s join pg_catalog.pg_type a
  on a.typelem = s.oid and a.typsubscript = 'array_subscript_handler'::regproc`

export type JsonTypeRow = { readonly oid: number; readonly name: string; readonly array: boolean }

export const toJsonTypes = (rows: readonly JsonTypeRow[]): JsonTypes =>
  new Map(
    rows.map(({ oid, name, array }) => [
      oid,
      { kind: KINDS.get(name) ?? 'string', isArray: array, isSameInJsonb: name !== 'json' },
    ]),
  )
