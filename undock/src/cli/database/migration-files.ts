import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Migration, readMigrations } from '../../database/migrations/project-files.ts'
import { freeVersions } from '../../database/migrations/versions.ts'
import type { Script } from '../../project-tools/schema-difference.ts'
import { UsageError } from '../arguments.ts'

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
