import type { Log } from '../kernel/service.ts'
import { identifier, keyword, sql, statement } from '../kernel/sql.ts'
import type { Db } from './db.ts'

/** Milliseconds between two looks: half of Postgres' own autovacuum_naptime, for there is one session to share. */
const INTERVAL = 30_000

type Tired = { readonly schema: string; readonly name: string; readonly command: 'vacuum (analyze)' | 'analyze' }

/** Does what Postgres' autovacuum launcher does, which a single-user engine has not: without it the planner never
 *  learns how large tables have become, and deleted rows keep their place. Thresholds are Postgres' defaults.
 *  @returns what ends it. */
export function startAutovacuum(db: Db, log: Log): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(() => tidy(db)).catch((error: unknown) => log.error('Tables could not be analyzed', error))
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

async function tiredTables(db: Db): Promise<Tired[]> {
  // A backend hands in its counts when it is idle, which the only session rarely is for long.
  await db.query(statement(sql`select pg_stat_force_next_flush()`))
  const { rows } = await db.query<Tired>(
    statement(sql`
      select schemaname as schema, relname as name,
        case when n_dead_tup > 50 + 0.2 * n_live_tup then 'vacuum (analyze)' else 'analyze' end as command
      from pg_stat_user_tables
      where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup
      order by n_mod_since_analyze`),
  )
  return rows
}
