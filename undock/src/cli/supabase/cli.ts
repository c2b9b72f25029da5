import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { startable } from '../../platform/startable.ts'
import { type Backend, findBackend, UsageError } from '../arguments.ts'
import { findRunning, NotRunningError, type Running } from '../running.ts'

const PROGRAM = process.platform === 'win32' ? 'supabase.cmd' : 'supabase'

/** The path of the Supabase CLI that the project has installed; null when it has none. */
export function findOwnCli(workdir: string): string | null {
  for (let folder = workdir; ; folder = dirname(folder)) {
    const local = join(folder, 'node_modules', '.bin', PROGRAM)
    if (existsSync(local)) return local
    if (folder === dirname(folder)) return null
  }
}

/** The path of the project's own Supabase CLI, else of the one on the PATH; null when there is none. */
export function findCli(workdir: string): string | null {
  const own = findOwnCli(workdir)
  if (own) return own
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, PROGRAM)).find((path) => existsSync(path)) ?? null
}

/** The running backend; null when it does not run. */
export const runningOf = (backend: Backend): Promise<Running | null> =>
  findRunning(backend).catch((error: unknown) => {
    if (error instanceof NotRunningError) return null
    throw error
  })

/** Runs the Supabase CLI, which finds the running backend on the ports that it has. Without a project or a backend it runs, too.
 *  @returns its exit code. */
export async function passOn(workdir: string | null, words: readonly string[]): Promise<number> {
  const command = findCli(workdir ?? process.cwd())
  if (!command)
    throw new UsageError(
      'This command is passed on to the Supabase CLI, which is not here: npm install --save-dev supabase',
    )
  const running = workdir === null ? null : await runningOf(findBackend({ workdir }))
  const ports = running && {
    SUPABASE_API_PORT: new URL(running.url).port,
    SUPABASE_DB_PORT: new URL(running.dbUrl).port,
  }
  const { file, args, options } = startable(command, words)
  const child = spawn(file, args, { ...options, stdio: 'inherit', env: { ...process.env, ...ports } })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
}
