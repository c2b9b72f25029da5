import { readJson, tryOut } from '../../lib/api.ts'

/** The effect of a change on an existing table.
 *  @property mode The strongest lock that it takes, as pg_locks names it. @property rewritten The bytes of a table that it rewrites. */
type TableEffect = { readonly table: string; readonly mode: string; readonly rewritten: number | null }

/** @property took Milliseconds, which are also how long the locks are held. */
export type MigrationTrial = { readonly took: number; readonly effects: readonly TableEffect[] }

/** From the weakest to the strongest lock
 *  (https://www.postgresql.org/docs/current/explicit-locking.html). */
const MODES = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]

/** So that a trial keeps others waiting for no longer than this. */
const LIMITS = "set local lock_timeout = '3s'; set local statement_timeout = '60s';"

type Before = { readonly id: string; readonly name: string; readonly file: string | null; readonly size: number }

const BEFORE = `
  select json_build_object('id', c.oid::text, 'name', n.nspname || '.' || c.relname,
    'file', pg_relation_filenode(c.oid)::text, 'size', pg_table_size(c.oid))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`

const LOCKS = `
  select relation::text, mode, pg_relation_filenode(relation)::text from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and granted`

const TIME = 'select extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000'

/** Runs a change of the schema on the data that is there, in a transaction that is rolled back. Sequences that it uses advance.
 *  @throws {ApiError} when it is refused, or may not be in a transaction. */
export async function tryMigration(script: string): Promise<MigrationTrial> {
  const before = new Map((await readJson<Before>(BEFORE)).map((table) => [table.id, table]))
  const [time, locks] = await tryOut(`${LIMITS} ${script}`, [{ text: TIME }, { text: LOCKS, limit: 20_000 }])
  const effects = new Map<string, TableEffect>()
  for (const [id, mode, file] of locks?.rows ?? []) {
    const table = before.get(id ?? '')
    if (!table || !mode) continue
    const known = effects.get(table.id)
    const strongest = known && MODES.indexOf(known.mode) > MODES.indexOf(mode) ? known.mode : mode
    // A dropped table no longer has a file.
    const rewritten = file != null && file !== table.file ? table.size : null
    effects.set(table.id, { table: table.name, mode: strongest, rewritten })
  }
  return {
    took: Number(time?.rows[0]?.[0] ?? 0),
    effects: [...effects.values()]
      .filter(({ mode }) => MODES.indexOf(mode) > MODES.indexOf('RowExclusiveLock'))
      .sort((a, b) => MODES.indexOf(b.mode) - MODES.indexOf(a.mode) || a.table.localeCompare(b.table)),
  }
}
