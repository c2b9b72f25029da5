import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrapScripts, projectKey, type Script, setVersionMark } from '../bootstrap/bootstrap.ts'
import { createDb } from '../engine-db.ts'
import { runScript } from '../protocol/exchange.ts'
import type { SnapshotStore } from '../snapshot-store.ts'
import { openEngine } from './engine.ts'
import { INITDB_PARAMETERS, START_SETTINGS } from './one-session.ts'
import { requirePglite } from './packages.ts'

const ENGINE_PACKAGES = [
  '@electric-sql/pglite',
  '@electric-sql/pglite-pgvector',
  '@electric-sql/pglite-pgtap',
  '@electric-sql/pglite-postgis',
  '@electric-sql/pglite-pgmq',
  '@electric-sql/pglite-pg_hashids',
  '@electric-sql/pglite-pg_ivm',
  '@electric-sql/pglite-pg_uuidv7',
]

function bootstrapKey(scripts: readonly Script[]): string {
  const require = requirePglite()
  const hash = createHash('sha256')
  hash.update(JSON.stringify([INITDB_PARAMETERS, START_SETTINGS]))
  for (const name of ENGINE_PACKAGES) hash.update(`${name}@${versionOf(require.resolve(name), name)}\n`)
  hash.update(setVersionMark(projectKey(scripts)))
  return hash.digest('hex').slice(0, 24)
}

/** Returns a snapshot of a bootstrapped cluster, made once per machine, because initdb takes seconds.
 *  @throws {Error} naming the script that failed. */
export async function bootstrapSnapshot(
  store: SnapshotStore,
  onBuild: () => void = () => undefined,
): Promise<{ key: string; path: string }> {
  const scripts = bootstrapScripts()
  const key = bootstrapKey(scripts)
  const stored = await store.find(key)
  if (stored) return { key, path: stored }
  onBuild()
  return { key, path: await store.add(key, (draft) => build(scripts, draft)) }
}

/** initdb names the superuser `postgres`, which in a project is another user. A session can't rename its own user. */
const RENAME_SUPERUSER = `
  create role renaming superuser;
  set session authorization renaming;
  alter role postgres rename to supabase_admin;
  set session authorization supabase_admin;
  drop role renaming;`

async function build(scripts: readonly Script[], path: string): Promise<void> {
  const limits = { statementLimit: 60_000, waitLimit: 60_000 }
  const engine = await openEngine({ folder: null, snapshot: null, hasPostgis: false, ...limits })
  try {
    await engine.withSession((session) => runScript(session, RENAME_SUPERUSER))
    for (const { name, text } of scripts) {
      try {
        await engine.withSession((session) => runScript(session, text))
      } catch (cause) {
        throw new Error(`bootstrap/${name}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      }
      await createDb(engine).exec('set session authorization supabase_admin; reset role; reset all')
    }
    await engine.withSession((session) => runScript(session, setVersionMark(projectKey(scripts))))
    await engine.dump(path)
  } finally {
    await engine.close()
  }
}

/** Packages don't export their package.json, so search upward from the entry file. */
function versionOf(entry: string, name: string): string {
  const root = entry.slice(0, entry.lastIndexOf(join('node_modules', ...name.split('/'))))
  const manifest = join(root, 'node_modules', ...name.split('/'), 'package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
