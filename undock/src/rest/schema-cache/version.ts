import { identifier, join, type Sql, sql } from '../../kernel/sql.ts'

/** Those that the cache is read from. */
const CATALOGUES = [
  'pg_aggregate',
  'pg_attrdef',
  'pg_attribute',
  'pg_cast',
  'pg_class',
  'pg_constraint',
  'pg_description',
  'pg_enum',
  'pg_inherits',
  'pg_namespace',
  'pg_proc',
  'pg_rewrite',
  'pg_type',
]

/** The age of rows that have been there from the first. */
const FROZEN = 2 ** 31 - 1

/** The state of the catalogues of one database as a text: of each how many rows it has, and the number of the transaction
 *  that wrote the newest. A row that is changed is written anew, so whatever happens to a catalogue changes the one or the
 *  other. Counted from the first transaction, as `age` alone goes up with every transaction. */
export const versionQuery: Sql = sql`select string_agg(concat_ws(' ', count, newest), ',') as version from (${join(
  CATALOGUES.map(
    (name) =>
      sql`select count(*), age('3'::xid) - nullif(min(age(xmin)), ${FROZEN}) as newest from ${identifier('pg_catalog', name)}`,
  ),
  ' union all ',
)}) c`

export type VersionRow = { readonly version: string }
