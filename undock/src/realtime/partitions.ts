import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { sql, statement } from '../kernel/sql.ts'

/** Makes the coming days' partitions of realtime.messages and drops the old ones, once a day. */
export async function keepPartitions(db: Db): Promise<void> {
  const { rows } = await db.query<{ missing: boolean }>(
    statement(sql`select to_regclass(
      'realtime.messages_' || to_char((now() at time zone 'utc') + interval '3 days', 'YYYY_MM_DD')
    ) is null as missing`),
  )
  if (!rows[0]?.missing) return
  // A reset and the clock may ask for it at once: the second waits for the first, and finds the partitions.
  await asProjectUser(db).query(
    statement(sql`
      with alone as materialized (select pg_advisory_xact_lock(hashtextextended('_realtime.keep_partitions', 0)))
      select _realtime.keep_partitions((now() at time zone 'utc')::date) from alone`),
  )
}
