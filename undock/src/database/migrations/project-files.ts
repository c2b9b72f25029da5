import { glob, readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'

export type Migration = {
  readonly version: string
  readonly name: string
  readonly path: string
  readonly text: string
}
export type ProjectScript = { readonly path: string; readonly text: string }

const MIGRATION_NAME = /^(\d+)_(.*)\.sql$/

/** The first migration that early versions of the CLI created; later versions leave it out. */
const INIT_MIGRATION = /^(\d{14})_init\.sql$/
const INIT_APPLIED_FROM = '20211209000000'

/** The migrations of a project in the order in which the CLI applies them: by the bytes of their file names.
 *  @param skip Called for each file whose name is not that of a migration, with the reason.
 *  @see supabase/cli pkg/migration/list.go */
export async function readMigrations(
  supabaseFolder: string,
  skip: (path: string, reason: string) => void = () => undefined,
): Promise<Migration[]> {
  const folder = join(supabaseFolder, 'migrations')
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const matches = files.flatMap((file, index) => {
    const path = join('supabase', 'migrations', file)
    const match = MIGRATION_NAME.exec(file)
    if (index === 0 && (INIT_MIGRATION.exec(file)?.[1] ?? INIT_APPLIED_FROM) < INIT_APPLIED_FROM) {
      skip(path, 'give it another name than "init" to have it applied')
      return []
    }
    if (!match && file.endsWith('.sql')) skip(path, 'its name is not like <timestamp>_name.sql')
    return match ? [{ file, path, version: match[1] ?? '', name: match[2] ?? '' }] : []
  })
  return Promise.all(
    matches.map(async ({ file, ...known }) => ({ ...known, text: await readText(join(folder, file)) })),
  )
}

/** Removes a byte order mark, which Postgres does not accept. */
const readText = async (path: string): Promise<string> => (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')

/** Reads the scripts that a list of paths and globs names, each once, in the list's order; files of one glob are sorted by name.
 *  @param patterns Absolute, or relative to the project's `supabase` folder.
 *  @returns the scripts, and the patterns that matched nothing. */
export async function readScripts(
  supabaseFolder: string,
  patterns: readonly string[],
): Promise<{ scripts: ProjectScript[]; unmatched: string[] }> {
  const paths = new Set<string>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const found = await Array.fromAsync(glob(pattern, { cwd: supabaseFolder }))
    if (found.length === 0) unmatched.push(join('supabase', relative(supabaseFolder, resolve(supabaseFolder, pattern))))
    for (const path of found.sort()) paths.add(relative(supabaseFolder, resolve(supabaseFolder, path)))
  }
  const scripts = await Promise.all(
    [...paths].map(async (path) => ({
      path: join('supabase', path),
      text: await readText(join(supabaseFolder, path)),
    })),
  )
  return { scripts, unmatched }
}
