import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPersistentState, makeStateFolder, stateFolder } from '../../runtime/place/state-folders.ts'
import { SERVICES, type ServiceName, type StackOptions } from '../../runtime/stack/options.ts'
import { type Stack, startStack } from '../../runtime/stack/stack.ts'
import {
  type Backend,
  type BackendOptions,
  backendText,
  findBackend,
  splitNames,
  UsageError,
  withName,
} from '../arguments.ts'
import { eventLine, failureText, nameCommands, showLine } from '../report.ts'
import { ABORTING, abortStart, exitSoon, untilSignal } from '../signals.ts'
import { prettyStatus } from './environment.ts'
import { collectWhenIdle, limitYoungGeneration } from './memory.ts'
import { migrationNotes } from './migration-notes.ts'

type StartOptions = BackendOptions & {
  readonly exclude: readonly string[]
  readonly ports: 'config' | 'free'
  readonly host?: string
  readonly https: boolean
  readonly dbUrl?: string
  readonly detach: boolean
}

/** `undock start`: runs the project's backend until Ctrl-C, or in the background. */
export async function start({ exclude, ports, host, https, dbUrl, detach, ...rest }: StartOptions): Promise<number> {
  const options: ServeOptions = {
    ...findBackend(rest),
    exclude: parseExclude(exclude),
    ports,
    // Passed as environment variables: as an argument, a URL with a password would show in
    // the list of processes.
    env: {
      ...process.env,
      ...(host ? { UNDOCK_HOST: host } : {}),
      ...(https ? { SUPABASE_API_TLS_ENABLED: 'true' } : {}),
      ...(dbUrl ? { UNDOCK_DATABASE_URL: dbUrl } : {}),
    },
  }
  return detach ? startDetached(options, exclude) : startHere(options)
}

type ServeOptions = Backend & Required<Pick<StackOptions, 'exclude' | 'ports' | 'env'>>

/** The names that `supabase start --exclude` uses for the same services. */
const CONTAINERS: Readonly<Record<string, ServiceName | null>> = {
  postgrest: 'rest',
  gotrue: 'auth',
  'storage-api': 'storage',
  'edge-runtime': 'functions',
  'postgres-meta': 'pg',
  mailpit: 'mail',
  inbucket: 'mail',
  imgproxy: null,
  kong: null,
  logflare: null,
  studio: 'mcp',
  supavisor: null,
  vector: null,
}

/** @throws {UsageError} that names the unknown service. */
function parseExclude(values: readonly string[]): ServiceName[] {
  return splitNames(values).flatMap((name) => {
    const service = SERVICES.find((candidate) => candidate === name) ?? CONTAINERS[name]
    if (service === undefined) throw new UsageError(`--exclude accepts ${SERVICES.join(', ')}, not "${name}".`)
    return service === null ? [] : [service]
  })
}

async function startHere(options: ServeOptions): Promise<number> {
  try {
    return await serve(options)
  } finally {
    exitSoon()
  }
}

async function serve(options: ServeOptions): Promise<number> {
  const signal = untilSignal()
  limitYoungGeneration()
  collectWhenIdle()
  for (;;) {
    const { stack, restarting } = await startOnce(options, signal)
    const work = await Promise.race([signal.then(() => null), restarting])
    console.error(work ? '\nRestarting with other data' : '\nStopping')
    await stack.stop()
    if (!work) return 0
    // On failure, the data stays unchanged.
    await work().catch((error: unknown) => console.error(failureText(error)))
  }
}

type Work = () => Promise<void>

async function startOnce(
  options: ServeOptions,
  signal: Promise<unknown>,
): Promise<{ stack: Stack; restarting: Promise<Work> }> {
  let isStarting = true
  const starting = new AbortController()
  let ended = (): void => undefined
  void signal.then(() => {
    if (isStarting) ended = abortStart(starting)
  })
  const since = performance.now()
  say(`Starting ${backendText(options)}`)
  let restart: (work: Work) => void = () => undefined
  const restarting = new Promise<Work>((resolve) => {
    restart = resolve
  })
  try {
    const stack = await startStack({
      ...options,
      console: true,
      aborted: starting.signal,
      // With free ports, a restart would change the URLs.
      ...(options.ports === 'config' ? { restart } : {}),
      tell: (event) => say(eventLine(event, options.name)),
      show: (line) => showLine(line, say),
    })
    await tellStarted(stack, since, options.name)
    if (process.send) void tellComplete(stack)
    return { stack, restarting }
  } catch (error) {
    nameCommands(error, options.name)
    tellParent({ failed: failureText(error) })
    throw error
  } finally {
    isStarting = false
    ended()
  }
}

async function tellStarted(stack: Stack, since: number, name: string | null): Promise<void> {
  const took = performance.now() - since
  const memory = await stack.memory()
  say(`Ready in ${seconds(took)}, ${megabytes(memory.total)}${originText(stack)}`)
  say(`  ${partsText(stack.startTimes, memory.database)}\n`)
  console.error(prettyStatus(stack))
  tellParent({ status: prettyStatus(stack) })
  if (stack.origin !== 'kept') return
  const { pending, faults } = await stack.migrations()
  for (const note of migrationNotes({ pending: pending.map(({ path }) => path), faults }, name)) say(`\n${note}`)
}

/** Ends the waiting `start --detach`, which reports functions that can't boot; in the foreground, they're reported as they're found. */
async function tellComplete(stack: Stack): Promise<void> {
  // Failures are in the log, and so already reported.
  await stack.prepareFunctions().catch(() => undefined)
  tellParent({ isComplete: true })
}

/** Prints a line to this terminal, or log file, and in the terminal of a `start --detach` that waits. */
function say(line: string): void {
  console.error(line)
  tellParent({ line })
}

/** Lists what each part used, slowest first. Services share one process, so only their time is known. */
function partsText(times: Stack['startTimes'], databaseMemory: number | null): string {
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .map(([part, took]) => {
      const memory = part === 'database' && databaseMemory !== null ? `, ${megabytes(databaseMemory)}` : ''
      return `${part} ${duration(took)}${memory}`
    })
    .join(' · ')
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`
const duration = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : seconds(milliseconds)
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

const originText = ({ origin }: Stack): string =>
  ({ kept: ', with the existing data', snapshot: ', from a snapshot of the migrations', migrated: '' })[origin]

/** Reports to the waiting `start --detach`, which may have ended in the meantime. */
function tellParent(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => undefined)
}

/** `status` is the printed table of URLs and keys. */
type ChildMessage = { line: string } | { status: string } | { isComplete: true } | { failed: string }

/** Starts the same command in a background process that writes to a log file; this process ends when that one is
 *  ready. */
async function startDetached({ workdir, name, ports, env }: ServeOptions, exclude: readonly string[]): Promise<number> {
  await checkPersistentState(workdir, name)
  await makeStateFolder(workdir)
  const folder = join(stateFolder(workdir, name), 'logs')
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'undock.log'), 'a')
  const excluded = exclude.flatMap((name) => ['--exclude', name])
  const named = name === null ? [] : ['--name', name]
  const words = ['start', '--workdir', workdir, ...named, '--ports', ports, ...excluded]
  const child = fork(fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url)), words, {
    env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  // A user who aborts this command does not want a backend to start in the background.
  let isAborted = false
  const abort = (name: NodeJS.Signals) => {
    isAborted = true
    child.kill(name)
  }
  const exited = once(child, 'exit')
  for (const name of ABORTING) process.on(name, abort)
  const outcome = await new Promise<{ isComplete: true } | { failed: string }>((resolve) => {
    child.on('message', (message: ChildMessage) => {
      if ('line' in message) console.error(message.line)
      else if ('status' in message) console.log(message.status)
      else resolve(message)
    })
    child.once('exit', (code) =>
      resolve({ failed: `undock exited with code ${code}. See its output in ${folder}/undock.log` }),
    )
  })
  if (isAborted) {
    await exited
    console.error('Stopped before it was ready.')
    return 130
  }
  child.removeAllListeners()
  for (const name of ABORTING) process.off(name, abort)
  if ('failed' in outcome) {
    console.error(outcome.failed)
    return 1
  }
  child.disconnect()
  child.unref()
  const ending = withName('`undock stop`', name)
  console.error(`\nRunning in the background as process ${child.pid}; stop it with ${ending}.`)
  return 0
}
