import { fork } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Env } from '../../config/env.ts'
import { readOptional } from '../../config/files.ts'
import { findConfigFile } from '../../config/project.ts'
import type { WakeCommand } from '../../runtime/place/record.ts'
import { checkPersistentState, makeStateFolder, stateFolder } from '../../runtime/place/state-folders.ts'
import type { StackOptions } from '../../runtime/stack/options.ts'
import { type Backend, withName } from '../arguments.ts'
import { ABORTING, INTERRUPTED } from '../signals.ts'

/** @property sleepAfter Such as `10m`; null for a backend that never sleeps. */
export type ServeOptions = Backend &
  Required<Pick<StackOptions, 'exclude' | 'ports' | 'env'>> & { readonly sleepAfter: string | null }

/** What a starting backend reports to its parent process. `status` is the printed table of URLs and keys. */
export type ChildMessage = { line: string } | { status: string } | { isComplete: true } | { failed: string }

const MAIN = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url))

/** Returns how to start a backend again like this, as another process with other variables. */
export function wakeCommand({ workdir, name, ports, exclude, sleepAfter, env }: ServeOptions): WakeCommand {
  const words = ['start', '--workdir', workdir, '--ports', ports]
  if (name !== null) words.push('--name', name)
  if (exclude.length > 0) words.push('--exclude', exclude.join(','))
  if (sleepAfter !== null) words.push('--sleep-after', sleepAfter)
  return { command: [process.execPath, MAIN, ...words], env: keptVariables(workdir, env) }
}

const isOwn = (name: string): boolean => /^(?:UNDOCK|SUPABASE)_/.test(name)

/** The variables that the project's settings can depend on: undock's, and those named by `env(NAME)`. */
function keptVariables(workdir: string, env: Env): Record<string, string> {
  const folder = join(workdir, 'supabase')
  const text = readOptional(join(folder, findConfigFile(folder) ?? 'config.toml')) ?? ''
  const named = new Set([...text.matchAll(/\benv\((\w+)\)/g)].map(([, name]) => name))
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (isOwn(name) || named.has(name)) ? [[name, value]] : [],
    ),
  )
}

/** Starts a backend in the background, with this process's variables except those of undock, which are in the command.
 *  @throws {Error} what prevents the start. */
export async function startInBackground(backend: Backend, { command, env }: WakeCommand): Promise<void> {
  const others = Object.entries(process.env).filter(([name]) => !isOwn(name))
  const variables = { ...Object.fromEntries(others), ...env }
  const { failure } = await launch(backend, { command, env: variables, isReady: (message) => 'status' in message })
  if (failure !== null) throw new Error(failure)
}

/** Starts a backend in the background, and prints what it reports until it's complete. */
export async function startDetached(options: ServeOptions): Promise<number> {
  const { workdir, name, env } = options
  await checkPersistentState(workdir, name)
  await makeStateFolder(workdir)
  // Aborting this command must not leave a backend starting in the background.
  const aborting = new AbortController()
  const abort = () => aborting.abort()
  for (const signal of ABORTING) process.on(signal, abort)
  const { pid, failure } = await launch(options, {
    command: wakeCommand(options).command,
    env,
    aborted: aborting.signal,
    isReady(message) {
      if ('line' in message) console.error(message.line)
      else if ('status' in message) console.log(message.status)
      return 'isComplete' in message
    },
  })
  for (const signal of ABORTING) process.off(signal, abort)
  if (aborting.signal.aborted) {
    console.error('Stopped before it was ready.')
    return INTERRUPTED
  }
  const ending = withName('`undock stop`', name)
  console.error(failure ?? `\nRunning in the background as process ${pid}; stop it with ${ending}.`)
  return failure === null ? 0 : 1
}

type Launch = {
  readonly command: readonly string[]
  readonly env: Env
  readonly aborted?: AbortSignal
  /** Returns whether the backend's process no longer needs its parent. */
  isReady(message: ChildMessage): boolean
}

/** Starts a process that writes to a log file, and waits for it.
 *  @returns why it failed; null if it's ready. */
async function launch(backend: Backend, { command: [program = '', main = '', ...words], ...options }: Launch) {
  const folder = join(stateFolder(backend.workdir, backend.name), 'logs')
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'undock.log'), 'a')
  const { env, aborted, isReady } = options
  const child = fork(main, words, { execPath: program, env, detached: true, stdio: ['ignore', log, log, 'ipc'] })
  closeSync(log)
  aborted?.addEventListener('abort', () => child.kill())
  const failure = await new Promise<string | null>((resolve) => {
    child.on('message', (message: ChildMessage) => {
      if ('failed' in message) resolve(message.failed)
      else if (isReady(message)) resolve(null)
    })
    child.once('error', ({ message }) => resolve(message))
    child.once('exit', (code, signal) =>
      resolve(`undock exited with ${signal ?? `code ${code}`}. See its output in ${folder}/undock.log`),
    )
  })
  child.removeAllListeners()
  // Later reports are ignored.
  child.on('error', () => undefined)
  if (child.connected) child.disconnect()
  child.unref()
  return { pid: child.pid, failure }
}
