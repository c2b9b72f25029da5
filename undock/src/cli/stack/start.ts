import { setTimeout as delay } from 'node:timers/promises'
import { parseDuration } from '../../config/units.ts'
import { userCacheFolder } from '../../platform/folders.ts'
import { forgetSleeping } from '../../runtime/place/record.ts'
import { SERVICES, type ServiceName } from '../../runtime/stack/options.ts'
import { type Stack, startStack } from '../../runtime/stack/stack.ts'
import { type BackendOptions, backendText, findBackend, splitNames, UsageError, withName } from '../arguments.ts'
import { eventLine, failureText, nameCommands, showLine } from '../report.ts'
import { abortStart, exitSoon, untilSignal } from '../signals.ts'
import { type ChildMessage, type ServeOptions, startDetached, startInBackground, wakeCommand } from './detached.ts'
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
  readonly sleepAfter?: string
}

/** `undock start`: runs the project's backend until Ctrl-C, or in the background. */
export async function start({ host, https, dbUrl, detach, ...rest }: StartOptions): Promise<number> {
  const { exclude, ports, sleepAfter = null } = rest
  if (sleepAfter !== null && ports === 'free')
    throw new UsageError('--sleep-after needs ports that stay the same: leave out --ports free.')
  const options: ServeOptions = {
    ...findBackend(rest),
    exclude: parseExclude(exclude),
    ports,
    sleepAfter,
    // Passed as environment variables: as an argument, a URL with a password would show in
    // the list of processes.
    env: {
      ...process.env,
      ...(host ? { UNDOCK_HOST: host } : {}),
      ...(https ? { SUPABASE_API_TLS_ENABLED: 'true' } : {}),
      ...(dbUrl ? { UNDOCK_DATABASE_URL: dbUrl } : {}),
    },
  }
  return detach ? startDetached(options) : startHere(options)
}

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

/** @throws {UsageError} naming an unknown service. */
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
    const { stack, restarting, complete } = await startOnce(options, signal)
    const ended = new AbortController()
    const asleep = complete.then(() => untilAsleep(stack, options, ended.signal))
    const work = await Promise.race([signal.then(() => null), restarting, asleep])
    ended.abort()
    if (work === 'asleep') return 0
    console.error(work ? '\nRestarting with other data' : '\nStopping')
    await stack.stop()
    // It may just have been falling asleep.
    await forgetSleeping(userCacheFolder(options.env), options)
    if (!work) return 0
    // On failure, the data stays unchanged.
    await work().catch((error: unknown) => console.error(failureText(error)))
  }
}

/** Milliseconds between checks whether the backend is in use. */
const LOOK = { least: 100, most: 15_000 }

/** Stops the backend after it was unused for `--sleep-after`. */
async function untilAsleep(stack: Stack, options: ServeOptions, ended: AbortSignal): Promise<'asleep'> {
  const use = options.sleepAfter === null ? null : stack.watchUse?.()
  if (!use) return new Promise(() => undefined)
  const after = (parseDuration(options.sleepAfter ?? '') ?? 0) * 1_000
  for (let usedAt = performance.now(); ; ) {
    await delay(Math.min(Math.max(after / 10, LOOK.least), LOOK.most), undefined, { ref: false })
    if (ended.aborted) return new Promise(() => undefined)
    // A failing database is no reason to sleep.
    if (await use.isUsed().catch(() => true)) usedAt = performance.now()
    if (performance.now() - usedAt < after) continue
    if (await use.fallAsleep(wakeCommand(options))) break
    usedAt = performance.now()
  }
  console.error(
    withName(
      `\nAsleep: it was not used for ${options.sleepAfter}. \`undock start\` wakes it, and so does the next request to \`undock proxy\`.`,
      options.name,
    ),
  )
  return 'asleep'
}

type Work = () => Promise<void>

async function startOnce(
  options: ServeOptions,
  signal: Promise<unknown>,
): Promise<{ stack: Stack; restarting: Promise<Work>; complete: Promise<void> }> {
  let isStarting = true
  const starting = new AbortController()
  let ended = (): void => undefined
  void signal.then(() => {
    if (isStarting) ended = abortStart(starting)
  })
  const since = performance.now()
  say(`Starting ${backendText(options)}`)
  const startOther = (name: string) => startInBackground({ ...options, name }, wakeCommand({ ...options, name }))
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
      ...(options.ports === 'config' ? { restart, startOther } : {}),
      tell: (event) => say(eventLine(event, options.name)),
      show: (line) => showLine(line, say),
    })
    await tellStarted(stack, since, options.name)
    return { stack, restarting, complete: process.send ? tellComplete(stack) : Promise.resolve() }
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

/** Prints a line to this terminal or log file, and to the terminal of a waiting `start --detach`. */
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

/** Reports to the waiting `start --detach`, which may have ended. */
function tellParent(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => undefined)
}
