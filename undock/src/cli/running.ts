import { readProjectConfig } from '../config/project.ts'
import { type Holder, readHolder } from '../database/project/lock.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { systemClock } from '../kernel/service.ts'
import { UserError } from '../kernel/service-error.ts'
import { userCacheFolder } from '../platform/folders.ts'
import { isRunning } from '../platform/process.ts'
import { followGitStopped } from '../runtime/branches/follow-git.ts'
import { listBackends } from '../runtime/place/record.ts'
import { lockPath } from '../runtime/place/state-folders.ts'
import { SERVICES, type StackEvent } from '../runtime/stack/options.ts'
import type { Stack } from '../runtime/stack/stack.ts'
import { type Backend, type BackendOptions, backendText, findBackend, withName } from './arguments.ts'
import { nameCommands, printEvent } from './report.ts'

export class NotRunningError extends UserError {}

export type Running = Pick<
  Stack,
  'url' | 'dbUrl' | 'mailUrl' | 'poolerUrl' | 'consoleUrl' | 'engine' | 'identity' | 'config'
> & {
  readonly holder: Holder
}

/** Returns the process that runs or is starting a project's backend.
 *  @throws {NotRunningError} */
export async function findHolder(backend: Backend): Promise<Holder> {
  const { workdir, name } = backend
  const holder = await readHolder(lockPath(workdir, name))
  if (holder && isRunning(holder)) return holder
  const others = await listBackends(userCacheFolder(process.env))
  const asleep = others.find((one) => 'asleep' in one && one.workdir === workdir && one.name === name)
  const state = asleep ? 'is asleep. Wake it with `undock start`.' : 'is not running. Start it with `undock start`.'
  throw new NotRunningError(withName(`${sentence(backendText(backend))} ${state}`, name))
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Finds a project's running stack, usually in another process. @throws {NotRunningError} also while it's starting, because its URLs aren't
 *  known yet. */
export async function findRunning(backend: Backend): Promise<Running> {
  const holder = await findHolder(backend)
  const { pid, url, dbUrl, engine, mailUrl = null, poolerUrl = null, consoleUrl = null } = holder
  if (dbUrl === undefined || engine === undefined)
    throw new NotRunningError(
      `${sentence(backendText(backend))} is still starting (process ${pid}). Try again when it's ready.`,
    )
  const { config } = readProjectConfig(backend.workdir)
  return {
    holder,
    url,
    dbUrl,
    mailUrl,
    poolerUrl,
    consoleUrl,
    engine,
    config,
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
  }
}

/** Sends a request to a running backend's `/undock/v1`. @param body Posted if given. @returns null if it's refused, after printing the
 *  reason. */
export async function ask(
  { url, identity }: Pick<Running, 'url' | 'identity'>,
  path: string,
  body?: object,
): Promise<Response | null> {
  const response = await fetch(`${url}/undock/v1${path}`, {
    headers: { apikey: identity.keys.secret },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (response.ok) return response
  console.error(((await response.json()) as { message: string }).message)
  return null
}

/** Prints a response's warnings about scripts; older versions of undock send none. */
export async function printWarnings(response: Response): Promise<void> {
  const { warnings = [] }: { warnings?: readonly string[] } = await response.json()
  for (const warning of warnings) console.error(`warning: ${warning}`)
}

/** Works on a running backend, or starts one temporarily. */
export async function withRunning<T>(backend: Backend, work: (running: Running) => Promise<T>): Promise<T> {
  const { workdir, name } = backend
  if (await readHolder(lockPath(workdir, name))) return work(await findRunning(backend))
  await followGitStopped(workdir, name)
  const { startStack } = await import('../runtime/stack/stack.ts')
  const tell = (event: StackEvent): void => printEvent(event, name)
  const stack = await startStack({ workdir, name, ports: 'free', exclude: ['functions'], tell }).catch((error) => {
    throw nameCommands(error, name)
  })
  try {
    return await work(await findRunning(backend))
  } finally {
    await stack.stop()
  }
}

export type FoundDatabase = { readonly url: string; close(): Promise<void> }

/** Returns the database that a command works on: that of the backend in `--name`, the one in SUPABASE_DB_URL (inside `undock run`), the
 *  running stack's, or a new one in memory. A named backend must be running.
 *  @throws {NotRunningError} */
export async function findDatabase(options: BackendOptions): Promise<FoundDatabase> {
  const fromEnvironment = process.env.SUPABASE_DB_URL
  if (fromEnvironment && options.name === undefined) return { url: fromEnvironment, close: async () => undefined }
  const backend = findBackend(options)
  const { workdir, name } = backend
  if (name !== null || (await readHolder(lockPath(workdir)))) {
    return { url: (await findRunning(backend)).dbUrl, close: async () => undefined }
  }
  const { startStack } = await import('../runtime/stack/stack.ts')
  const stack = await startStack({ workdir, ports: 'free', state: 'memory', exclude: SERVICES, tell: printEvent })
  return { url: stack.dbUrl, close: stack.stop }
}

/** All migrations, those up to a version, or none. */
export type ShadowContent = 'all' | 'none' | { readonly until: string }

/** Works on a shadow database: a temporary one in memory created only by migrations, never the one in undock.toml. */
export async function withShadow<T>(
  workdir: string,
  content: ShadowContent,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { startStack } = await import('../runtime/stack/stack.ts')
  const { settings } = readProjectConfig(workdir)
  console.error('Creating the shadow database')
  const stack = await startStack({
    workdir,
    ports: 'free',
    state: 'memory',
    exclude: SERVICES,
    engine: settings.database_url ? 'auto' : settings.engine,
    env: {
      ...process.env,
      SUPABASE_DB_SEED_ENABLED: 'false',
      SUPABASE_DB_MIGRATIONS_ENABLED: String(content !== 'none'),
    },
    tell: printEvent,
  })
  try {
    if (typeof content === 'object') await stack.reset({ until: content.until, seed: false })
    return await work(stack.dbUrl)
  } finally {
    await stack.stop()
  }
}
