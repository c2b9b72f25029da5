import type { Db } from '../../database/db.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { Action } from './params.ts'

/** A row's columns, each as JSON text, so that numbers keep all their digits. */
export type RawRow = Readonly<Record<string, string>>

/** A captured change. The new row is missing on DELETE, the old one on INSERT. */
export type RowChange = {
  readonly entity: string
  readonly action: Action
  /** ISO 8601 in UTC with milliseconds. */
  readonly happenedAt: string
  readonly record: RawRow | null
  readonly old: RawRow | null
  /** A hash of the new row, to be compared with `rowVersion` of the row in the table; null on DELETE. */
  readonly version: string | null
}

/** Marks the point in the queue at which the publication may have changed. */
export type PublicationMark = { readonly action: 'PUBLICATION' }

/** The hash of a row that `_realtime.capture` stores. @param row The table's alias; no column may have this name. */
export const rowVersion = (row: Sql) => sql`hashtextextended(${row}::text, 0)`

/** Removes the oldest captured changes and marks from the queue, in their order. */
export async function dequeueChanges(db: Db, most: number): Promise<(RowChange | PublicationMark)[]> {
  const { rows } = await db.query<RowChange | PublicationMark>(
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
