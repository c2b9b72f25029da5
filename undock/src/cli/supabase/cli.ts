import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { readOptional } from '../../config/files.ts'
import { startable } from '../../platform/process.ts'
import { type Backend, findBackend, UsageError } from '../arguments.ts'
import { findRunning, NotRunningError, type Running } from '../running.ts'

const PROGRAM = process.platform === 'win32' ? 'supabase.cmd' : 'supabase'

const Package = z.object({ bin: z.object({ supabase: z.string() }) })

/** The path of the project's Supabase CLI, found by its package, because the command `supabase` may be undock's. Null if there is none. */
export function findOwnCli(workdir: string): string | null {
  for (let folder = workdir; ; folder = dirname(folder)) {
    const local = join(folder, 'node_modules', 'supabase')
    const { data } = Package.safeParse(JSON.parse(readOptional(join(local, 'package.json')) ?? 'null'))
    if (data && existsSync(join(local, data.bin.supabase))) return join(local, data.bin.supabase)
    if (folder === dirname(folder)) return null
  }
}

/** The path of the project's own Supabase CLI, or else of one on the PATH that isn't undock's; null if there is none. */
export function findCli(workdir: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const programs = folders.map((folder) => join(folder, PROGRAM))
  return findOwnCli(workdir) ?? programs.find((path) => existsSync(path) && !isShim(path)) ?? null
}

/** Contained in each `supabase` script written by undock. */
const SHIM_MARK = 'This is undock: it does what the Supabase CLI does, without Docker.'
const isShim = (path: string): boolean => readFileSync(path).subarray(0, 400).includes(SHIM_MARK)

/** Writes a `supabase` command that runs `undock supabase` to a folder. Replaces a link, not its target. */
export function writeShim(folder: string): void {
  const [node, undock] = [process.execPath, resolve(process.argv[1] ?? '')]
  const text =
    process.platform === 'win32'
      ? `@rem ${SHIM_MARK}\r\n@"${node}" "${undock}" supabase %*\r\n`
      : `#!/bin/sh\n# ${SHIM_MARK}\nexec ${[node, undock].map((path) => `'${path.replaceAll("'", `'\\''`)}'`).join(' ')} supabase "$@"\n`
  mkdirSync(folder, { recursive: true })
  const path = join(folder, PROGRAM)
  const next = `${path}.${process.pid}`
  writeFileSync(next, text, { mode: 0o755 })
  renameSync(next, path)
}

const PASSED_ON = 'UNDOCK_PASSED_ON'

const USES_BACKEND = /^(?:db|inspect|migrations?|storage)\b(?!.* --(?:remote|linked|db-url|project-ref))/s

/** The backend, or null if it isn't running. */
export const runningOf = (backend: Backend): Promise<Running | null> =>
  findRunning(backend).catch((error: unknown) => {
    if (error instanceof NotRunningError) return null
    throw error
  })

/** Runs the Supabase CLI with the ports of the running backend, if there is one.
 *  @param input The text of its standard input; by default it reads undock's.
 *  @returns its exit code. */
export async function passOn(workdir: string | null, words: readonly string[], input?: string): Promise<number> {
  const command = findCli(workdir ?? process.cwd())
  // A program that looks like the CLI may call undock again.
  if (!command || process.env[PASSED_ON])
    throw new UsageError(
      `This command needs the Supabase CLI, ${command ? `but ${command} calls undock again` : 'which is not installed'}: npm install --save-dev supabase`,
    )
  const running = workdir === null ? null : await runningOf(findBackend({ workdir }))
  const ports = running && {
    SUPABASE_API_PORT: new URL(running.url).port,
    SUPABASE_DB_PORT: new URL(running.dbUrl).port,
  }
  const { file, args, options } = startable(command, words)
  const child = spawn(file, args, {
    ...options,
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    env: { ...process.env, ...ports, [PASSED_ON]: '1' },
  })
  child.stdin?.on('error', () => undefined).end(input)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  // The CLI's own message says to start Docker.
  if (code !== 0 && workdir !== null && !running && USES_BACKEND.test(words.join(' ')))
    await findRunning(findBackend({ workdir })).catch(({ message }: Error) => console.error(message))
  return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
}
