import { identifier, join, type Sql, sql } from '../../kernel/sql.ts'

/** The catalogs that the schema cache is read from. */
const CATALOGS = [
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

/** The age of rows that exist since the cluster was created. */
const FROZEN = 2 ** 31 - 1

/** The state of one database's catalogs as a text: for each the number of rows, and the number of the transaction that wrote the
 *  newest row. Postgres writes a changed row anew, so every change of a catalog changes one of the two. Transactions are
 *  counted from the first one, because `age` alone increases with every transaction. */
export const versionQuery: Sql = sql`select string_agg(concat_ws(' ', count, newest), ',') as version from (${join(
  CATALOGS.map(
    (name) =>
      sql`select count(*), age('3'::xid) - nullif(min(age(xmin)), ${FROZEN}) as newest from ${identifier('pg_catalog', name)}`,
  ),
  ' union all ',
)}) c`

export type VersionRow = { readonly version: string }
