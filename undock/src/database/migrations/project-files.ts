import { glob, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

export type Migration = {
  readonly version: string
  readonly name: string
  readonly path: string
  readonly text: string
}
export type ProjectScript = { readonly path: string; readonly text: string }

const MIGRATION_NAME = /^(\d+)_(.*)\.sql$/

/** The migrations of a project in the order in which the CLI applies them: by the bytes of their file names.
 *  @see supabase/cli pkg/migration/list.go */
export async function readMigrations(supabaseFolder: string): Promise<Migration[]> {
  const folder = join(supabaseFolder, 'migrations')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const matches = names.map((name) => MIGRATION_NAME.exec(name)).filter((match) => match !== null)
  matches.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return Promise.all(
    matches.map(async ([file, version = '', name = '']) => ({
      version,
      name,
      path: join('supabase', 'migrations', file),
      text: await readFile(join(folder, file), 'utf8'),
    })),
  )
}

/** The scripts that a list of paths and globs names, each once, in the list's order; files of one glob by name.
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
    if (found.length === 0) unmatched.push(pattern)
    for (const path of found.sort())
      paths.add(relative(supabaseFolder, join(supabaseFolder, relative(supabaseFolder, path))))
  }
  const scripts = await Promise.all(
    [...paths].map(async (path) => ({
      path: join('supabase', path),
      text: await readFile(join(supabaseFolder, path), 'utf8'),
    })),
  )
  return { scripts, unmatched }
}
