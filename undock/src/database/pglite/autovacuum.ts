import type { Log } from '../../kernel/service.ts'
import { identifier, keyword, sql, statement } from '../../kernel/sql.ts'
import type { Db } from '../db.ts'

/** Milliseconds between two checks. Postgres' own autovacuum_naptime is a minute, a long time to wait for good plans after an
 *  import; a check of an unchanged database takes 0.1 ms. */
const CHECK_INTERVAL = 5_000
/** The number of written rows from which a table can be due; Postgres' autovacuum_analyze_threshold. */
const THRESHOLD = 50

type DueTable = { readonly schema: string; readonly name: string; readonly command: 'vacuum (analyze)' | 'analyze' }

/** Does the work of Postgres' autovacuum launcher, which the single-user engine does not have: without it the planner never learns
 *  the size of tables, and deleted rows keep their space. Thresholds are Postgres' defaults. */
export function startAutovacuum(db: Db, log: Log): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  let lastWritten = 0
  async function check(): Promise<void> {
    const written = await rowsWritten(db)
    if (Math.abs(written - lastWritten) < THRESHOLD) return
    lastWritten = written
    await vacuumTables(db)
  }
  const timer = setInterval(() => {
    running = running.then(check).catch((error: unknown) => log.error('Tables could not be analyzed', error))
  }, CHECK_INTERVAL)
  timer.unref()
  return {
    close() {
      clearInterval(timer)
      return running
    },
  }
}

/** Vacuums and analyzes all tables that are due, each in a statement of its own, so that requests run in between. */
export async function vacuumTables(db: Db): Promise<void> {
  for (const { schema, name, command } of await dueTables(db)) {
    const { text } = statement(sql`${keyword(command)} ${identifier(schema, name)}`)
    await db.exec(text)
  }
}

/** A backend reports its counts when it is idle, which the only session rarely is. */
const flushStatistics = (db: Db) => db.query(statement(sql`select pg_stat_force_next_flush()`))

/** The number of rows written in all tables since the counts began. */
async function rowsWritten(db: Db): Promise<number> {
  await flushStatistics(db)
  const { rows } = await db.query<{ written: string }>(
    statement(sql`
      select tup_inserted + tup_updated + tup_deleted as written
      from pg_stat_database where datname = current_database()`),
  )
  return Number(rows[0]?.written)
}

async function dueTables(db: Db): Promise<DueTable[]> {
  await flushStatistics(db)
  const { rows } = await db.query<DueTable>(
    statement(sql`
      select schemaname as schema, relname as name,
        case when n_dead_tup > ${THRESHOLD}::int + 0.2 * n_live_tup then 'vacuum (analyze)' else 'analyze' end as command
      from pg_stat_user_tables
      where n_dead_tup > ${THRESHOLD}::int + 0.2 * n_live_tup or n_mod_since_analyze > ${THRESHOLD}::int + 0.1 * n_live_tup
      order by n_mod_since_analyze`),
  )
  return rows
}
