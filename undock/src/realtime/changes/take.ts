import type { Db } from '../../database/db.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { Action } from './params.ts'

/** A row's columns as JSON texts: numbers keep all their digits. */
export type RawRow = Readonly<Record<string, string>>

/** A captured change. The new row is missing on DELETE, the old one on INSERT. */
export type Change = {
  readonly entity: string
  readonly action: Action
  /** ISO 8601 in UTC with milliseconds. */
  readonly happenedAt: string
  readonly record: RawRow | null
  readonly old: RawRow | null
  /** Stands for the new row, as `rowVersion` does for one in the table; null on DELETE. */
  readonly version: string | null
}

/** What `_realtime.capture` writes of a row. @param row An alias that is no column's name. */
export const rowVersion = (row: Sql) => sql`hashtextextended(${row}::text, 0)`

/** Takes the oldest captured changes out of the queue, in their order. */
export async function takeChanges(db: Db, most: number): Promise<Change[]> {
  const { rows } = await db.query<Change>(
    statement(sql`
      with taken as (
        delete from _realtime.changes
        where id in (select id from _realtime.changes order by id limit ${most}::int) returning *
      )
      select entity::text, action, to_char(happened_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "happenedAt",
        (select json_object_agg(key, value::text) from jsonb_each(record)) as record,
        (select json_object_agg(key, value::text) from jsonb_each(old_record)) as old, version::text
      from taken order by id`),
  )
  return rows
}
