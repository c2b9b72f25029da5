import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** The path of the project's own Supabase CLI, else of the one on the PATH; null when there is none. */
export function findCli(workdir: string): string | null {
  const program = process.platform === 'win32' ? 'supabase.cmd' : 'supabase'
  for (let folder = workdir; ; folder = dirname(folder)) {
    const local = join(folder, 'node_modules', '.bin', program)
    if (existsSync(local)) return local
    if (folder === dirname(folder)) break
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null
}
