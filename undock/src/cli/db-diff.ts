import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Action,
  plan,
  type ResolvedProfile,
  renderPlanFiles,
  resolveProfile,
  supabaseProfile,
} from '@supabase/pg-delta'
import pg from 'pg'
import { type BackendOptions, findWorkdir, splitNames } from './arguments.ts'
import { findDatabase, startDatabase } from './running.ts'

export type DbDiffOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly file?: string
  readonly schema: readonly string[]
}

/** `undock db diff`: prints, as SQL, what the database contains that the migrations do not create. The shadow database
 *  to compare with is in memory and made by the migrations alone. Options are those of `supabase db diff`. */
export async function dbDiff({ file, dbUrl, ...options }: DbDiffOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const schemas = splitNames(options.schema)
  const target = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  try {
    console.error('Making the shadow database of the migrations')
    const shadow = await startDatabase(workdir, { ...process.env, SUPABASE_DB_SEED_ENABLED: 'false' })
    const script = await difference(shadow.url, target.url, schemas).finally(shadow.close)
    if (script === '') {
      console.error('No schema changes found')
      return 0
    }
    if (file === undefined) console.log(script)
    else console.error(`Written to ${await writeMigration(workdir, file, script)}`)
    return 0
  } finally {
    await target.close()
  }
}

/** @returns the SQL that makes one database like the other; empty when they are alike. */
export async function difference(from: string, to: string, schemas: readonly string[]): Promise<string> {
  // One connection for each: the embedded engine has one session, and a transaction occupies it.
  const pools = [from, to].map((connectionString) => new pg.Pool({ connectionString, max: 1 })) as [pg.Pool, pg.Pool]
  // An idle connection may end unnoticed; a connection in use reports the error to its query.
  for (const pool of pools) pool.on('error', () => undefined)
  try {
    const profile: ResolvedProfile = await resolveProfile(pools[0], supabaseProfile)
    const [source, desired] = await Promise.all(pools.map((pool) => profile.extract(pool)))
    if (!source || !desired) return ''
    const whole = plan(source.factBase, desired.factBase, { renames: 'off', ...profile.planOptions })
    const actions = schemas.length === 0 ? whole.actions : whole.actions.filter((action) => concerns(action, schemas))
    const { files } = renderPlanFiles({ ...whole, actions }, { allowDrops: true })
    return files.map(({ contents }) => contents.trim()).join('\n\n')
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
}

const concerns = ({ produces, destroys, consumes }: Action, schemas: readonly string[]): boolean => {
  const touched = [...produces, ...destroys]
  return (touched.length > 0 ? touched : consumes).some(
    (one) => 'schema' in one && schemas.includes(String(one.schema)),
  )
}

async function writeMigration(workdir: string, name: string, script: string): Promise<string> {
  const folder = join(workdir, 'supabase', 'migrations')
  const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const path = join(folder, `${stamp}_${name}.sql`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${script}\n`)
  return path
}
