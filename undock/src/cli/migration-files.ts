import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Migration, readMigrations } from '../database/migrations/project-files.ts'
import { UsageError } from './arguments.ts'
import type { Script } from './schema-difference.ts'

/** Writes the scripts as the project's newest migrations, one file each: statements of different transactions cannot share one.
 *  Existing files are never replaced.
 *  @param name What the names of the files contain after the version.
 *  @throws {UsageError} for a name that is none. */
export async function writeMigrations(workdir: string, name: string, scripts: readonly Script[]): Promise<Migration[]> {
  if (name === '' || /[/\\\0]/.test(name)) throw new UsageError(`"${name}" is no name for a migration.`)
  const supabaseFolder = join(workdir, 'supabase')
  const taken = new Set((await readMigrations(supabaseFolder)).map(({ version }) => version))
  const versions = freeVersions(taken, scripts.length)
  const made = scripts.map(({ suffix, text }, index): Migration => {
    const version = versions[index] as string
    const full = `${name}${suffix}`
    return { version, name: full, path: join('supabase', 'migrations', `${version}_${full}.sql`), text: `${text}\n` }
  })
  await mkdir(join(supabaseFolder, 'migrations'), { recursive: true })
  for (const { path, text } of made) await writeFile(join(workdir, path), text, { flag: 'wx' })
  return made
}

/** Versions a second apart, beginning now, or with the first second from which on none is taken. */
function freeVersions(taken: ReadonlySet<string>, count: number): string[] {
  for (let start = Date.now(); ; start += 1000) {
    const versions = Array.from({ length: count }, (_, index) => timestamp(new Date(start + index * 1000)))
    if (!versions.some((version) => taken.has(version))) return versions
  }
}

/** Such as 20260131235959, in UTC. */
const timestamp = (time: Date): string => time.toISOString().replaceAll(/\D/g, '').slice(0, 14)
