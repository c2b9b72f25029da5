import type { Log } from '../kernel/service.ts'
import { identifier, keyword, sql, statement } from '../kernel/sql.ts'
import type { Db } from './db.ts'

/** Milliseconds between two looks. Postgres' own autovacuum_naptime is a minute; here nobody shall wait that long for good plans
 *  after an import, and a look at a database in which nothing was written costs 0.1 ms. */
const INTERVAL = 5_000
/** Rows written before a table can be tired; Postgres' autovacuum_analyze_threshold. */
const THRESHOLD = 50

type Tired = { readonly schema: string; readonly name: string; readonly command: 'vacuum (analyze)' | 'analyze' }

/** Does what Postgres' autovacuum launcher does, which a single-user engine has not: without it the planner never
 *  learns how large tables have become, and deleted rows keep their place. Thresholds are Postgres' defaults.
 *  @returns what ends it. */
export function startAutovacuum(db: Db, log: Log): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  let seen = 0
  async function look(): Promise<void> {
    const written = await rowsWritten(db)
    if (Math.abs(written - seen) < THRESHOLD) return
    seen = written
    await tidy(db)
  }
  const timer = setInterval(() => {
    running = running.then(look).catch((error: unknown) => log.error('Tables could not be analyzed', error))
  }, INTERVAL)
  timer.unref()
  return {
    close() {
      clearInterval(timer)
      return running
    },
  }
}

/** One look at all tables. Each is a statement of its own, so that requests go between them. */
export async function tidy(db: Db): Promise<void> {
  for (const { schema, name, command } of await tiredTables(db)) {
    const { text } = statement(sql`${keyword(command)} ${identifier(schema, name)}`)
    await db.exec(text)
  }
}

/** A backend hands in its counts when it is idle, which the only session rarely is for long. */
const handInCounts = (db: Db) => db.query(statement(sql`select pg_stat_force_next_flush()`))

/** In all tables together, since the counts began. */
async function rowsWritten(db: Db): Promise<number> {
  await handInCounts(db)
  const { rows } = await db.query<{ written: string }>(
    statement(sql`
      select tup_inserted + tup_updated + tup_deleted as written
      from pg_stat_database where datname = current_database()`),
  )
  return Number(rows[0]?.written)
}

async function tiredTables(db: Db): Promise<Tired[]> {
  await handInCounts(db)
  const { rows } = await db.query<Tired>(
    statement(sql`
      select schemaname as schema, relname as name,
        case when n_dead_tup > ${THRESHOLD}::int + 0.2 * n_live_tup then 'vacuum (analyze)' else 'analyze' end as command
      from pg_stat_user_tables
      where n_dead_tup > ${THRESHOLD}::int + 0.2 * n_live_tup or n_mod_since_analyze > ${THRESHOLD}::int + 0.1 * n_live_tup
      order by n_mod_since_analyze`),
  )
  return rows
}
