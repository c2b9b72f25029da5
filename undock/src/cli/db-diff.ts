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
import { findWorkdir, parse } from './arguments.ts'
import { findDatabase, startDatabase } from './find-database.ts'

/** `undock db diff`: what the database has that the migrations do not make, as SQL. The shadow to compare with is a
 *  database in memory, made of the migrations alone. Flags are those of `supabase db diff`. */
export async function dbDiff(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: {
      workdir: { type: 'string' },
      'db-url': { type: 'string' },
      file: { type: 'string', short: 'f' },
      schema: { type: 'string', short: 's', multiple: true, default: [] },
      local: { type: 'boolean', default: false },
      'use-pg-delta': { type: 'boolean', default: false },
    },
  })
  const workdir = findWorkdir(values.workdir as string | undefined)
  const schemas = (values.schema as string[]).flatMap((names) => names.split(','))
  const named = values['db-url'] as string | undefined
  const target = named ? { url: named, close: async () => undefined } : await findDatabase(workdir)
  try {
    console.error('Making the shadow database of the migrations')
    const shadow = await startDatabase(workdir, { ...process.env, SUPABASE_DB_SEED_ENABLED: 'false' })
    const script = await difference(shadow.url, target.url, schemas).finally(shadow.close)
    if (script === '') {
      console.error('No schema changes found')
      return 0
    }
    const file = values.file as string | undefined
    if (file === undefined) console.log(script)
    else console.error(`Written to ${await writeMigration(workdir, file, script)}`)
    return 0
  } finally {
    await target.close()
  }
}

/** @returns SQL that makes the one like the other; empty when they are alike. */
async function difference(from: string, to: string, schemas: readonly string[]): Promise<string> {
  // One connection each: the embedded engine has one session, and a transaction holds it.
  const pools = [from, to].map((connectionString) => new pg.Pool({ connectionString, max: 1 })) as [pg.Pool, pg.Pool]
  // One that ends while it is idle is of no interest; one at work tells its query.
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
