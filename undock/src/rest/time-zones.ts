import type { Db } from '../database/db.ts'
import { sql, statement } from '../kernel/sql.ts'

/** Returns a function that tells which names are time zones of Postgres. Their list is read when the first request names
 *  one. */
export function createTimezoneLookup(db: Db): (named: string | null) => Promise<(name: string) => boolean> {
  let names: Promise<ReadonlySet<string>> | null = null
  return async (named) => {
    if (named === null) return () => false
    names ??= db
      .query<{ name: string }>(statement(sql`select name from pg_catalog.pg_timezone_names`))
      .then(({ rows }) => new Set(rows.map(({ name }) => name)))
    const known = await names
    return (name) => known.has(name)
  }
}
