import { type Sql, sql } from '../../kernel/sql.ts'

/** How Postgres turns the text of a value into JSON: `text` leaves it as it is, `string` quotes it, `boolean` reads `t` and `f`,
 *  `number` and `float` quote only what is no number in JSON (NaN, Infinity), the others become ISO 8601 whatever `DateStyle`
 *  says. */
export type JsonKind = 'text' | 'string' | 'boolean' | 'number' | 'float' | 'date' | 'timestamp' | 'timestamptz'

export type JsonType = {
  readonly kind: JsonKind
  /** Whether it is an array of such values. */
  readonly isArray: boolean
  /** Whether the JSON is the same inside jsonb. */
  readonly isTextSameInJsonb: boolean
}

/** By the oid of a type. */
export type JsonTypes = ReadonlyMap<number, JsonType>

/** All other types without fields and without a cast to json become strings. */
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

/** Types whose JSON follows from their text, and their arrays; not row types and types with a cast to json of their own. */
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
      const type = { kind: KINDS.get(name) ?? 'string', isTextSameInJsonb: name !== 'json' }
      return [
        [oid, { ...type, isArray: false }],
        [array, { ...type, isArray: true }],
      ]
    }),
  )
