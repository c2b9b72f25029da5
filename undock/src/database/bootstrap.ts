import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Db } from './db.ts'
import { openEngine } from './engine/engine.ts'
import { INITDB_PARAMETERS, START_SETTINGS } from './engine/parameters.ts'
import { createDb } from './engine-db.ts'
import { runScript } from './script.ts'
import type { SnapshotStore } from './snapshots.ts'
import { standInsText } from './stand-ins/stand-ins.ts'

const FOLDER = new URL('./bootstrap/', import.meta.url)
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

export type Script = { readonly name: string; readonly text: string }

/** What turns an empty cluster into a Supabase project's: roles, schemas, the tables of auth, storage and realtime. */
export function bootstrapScripts(): Script[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }))
}

/** Names what makes a database a Supabase project's. */
export function projectKey(scripts: readonly Script[] = bootstrapScripts()): string {
  const hash = createHash('sha256')
  for (const { name, text } of scripts) hash.update(`${name}\n${text}\n`)
  hash.update(standInsText())
  return hash.digest('hex').slice(0, 24)
}

/** A database says itself what made it a project's: as the comment of a schema it goes along with every copy. */
export const markOf = (key: string): string => `undock ${key}`
export const setMark = (key: string): string => `comment on schema extensions is '${markOf(key)}'`
export const MARK = "select obj_description(to_regnamespace('extensions'), 'pg_namespace') as mark"

/** Whether a database that was kept was made a project's by another version of this. */
export async function isOfOtherVersion(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ mark: string | null }>({ text: MARK, values: [] })
  return rows[0]?.mark !== markOf(projectKey())
}

/** Names what the bootstrapped cluster is made of, so that a snapshot is never taken for another's. */
export function bootstrapKey(scripts: readonly Script[]): string {
  const require = createRequire(import.meta.url)
  const hash = createHash('sha256')
  hash.update(JSON.stringify([INITDB_PARAMETERS, START_SETTINGS]))
  for (const name of ENGINE_PACKAGES) hash.update(`${name}@${versionOf(require.resolve(name), name)}\n`)
  hash.update(setMark(projectKey(scripts)))
  return hash.digest('hex').slice(0, 24)
}

/** A new cluster with the bootstrap applied, as a file of the store. It is made once on a machine (initdb
 *  takes seconds) and kept in the store.
 *  @param tell Called when it has to be made.
 *  @throws {Error} naming the script that failed. */
export async function bootstrapSnapshot(
  store: SnapshotStore,
  tell: () => void = () => undefined,
): Promise<{ key: string; path: string }> {
  const scripts = bootstrapScripts()
  const key = bootstrapKey(scripts)
  const known = await store.find(key)
  if (known) return { key, path: known }
  tell()
  return { key, path: await store.add(key, (draft) => build(scripts, draft)) }
}

/** initdb calls the superuser `postgres`; in a project that is another one's name. The session's own user cannot be renamed. */
const NAME_SUPERUSER = `
  create role renaming superuser;
  set session authorization renaming;
  alter role postgres rename to supabase_admin;
  set session authorization supabase_admin;
  drop role renaming;`

async function build(scripts: readonly Script[], path: string): Promise<void> {
  const engine = await openEngine({ folder: null, snapshot: null, statementLimit: 60_000, waitLimit: 60_000 })
  try {
    await engine.exclusive((session) => runScript(session, NAME_SUPERUSER))
    for (const { name, text } of scripts) {
      try {
        await engine.exclusive((session) => runScript(session, text))
      } catch (cause) {
        throw new Error(`bootstrap/${name}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      }
      await createDb(engine).exec('set session authorization supabase_admin; reset role; reset all')
    }
    await engine.exclusive((session) => runScript(session, setMark(projectKey(scripts))))
    await engine.dump(path)
  } finally {
    await engine.close()
  }
}

/** Packages export no package.json, so it is looked up from the entry file upward. */
function versionOf(entry: string, name: string): string {
  const root = entry.slice(0, entry.lastIndexOf(join('node_modules', ...name.split('/'))))
  const manifest = join(root, 'node_modules', ...name.split('/'), 'package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
