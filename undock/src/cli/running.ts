import { readProjectConfig } from '../config/project.ts'
import { type Holder, readHolder } from '../database/project/lock.ts'
import { createIdentity } from '../identity/create-identity.ts'
import { systemClock } from '../kernel/service.ts'
import type { Stack } from '../runtime/stack.ts'
import { lockPath } from '../runtime/state-folders.ts'
import { tellEvent } from './report.ts'

export class NotRunningError extends Error {
  override readonly name = 'NotRunningError'
}

export type Running = Pick<Stack, 'url' | 'dbUrl' | 'mailUrl' | 'identity' | 'config'> & { readonly holder: Holder }

/** The process that runs a project's backend or is starting it.
 *  @throws {NotRunningError} */
export async function findHolder(workdir: string): Promise<Holder> {
  const holder = await readHolder(lockPath(workdir))
  if (holder) return holder
  throw new NotRunningError(`The backend of ${workdir} is not running. Start it with \`undock start\`.`)
}

/** The running stack of a project, in whichever process.
 *  @throws {NotRunningError} also while it starts: its addresses are not known yet. */
export async function findRunning(workdir: string): Promise<Running> {
  const holder = await findHolder(workdir)
  const { pid, url, dbUrl, mailUrl = null } = holder
  if (dbUrl === undefined)
    throw new NotRunningError(
      `The backend of ${workdir} is being started by process ${pid}. Try again when it is ready.`,
    )
  const { config } = readProjectConfig(workdir)
  return {
    holder,
    url,
    dbUrl,
    mailUrl,
    config,
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
  }
}

export type FoundDatabase = { readonly url: string; close(): Promise<void> }

/** The database that a command works on: the one that SUPABASE_DB_URL names (inside `undock run`), the running stack's,
 *  or a new one in memory. */
export async function findDatabase(workdir: string): Promise<FoundDatabase> {
  const named = process.env.SUPABASE_DB_URL
  if (named) return { url: named, close: async () => undefined }
  if (await readHolder(lockPath(workdir))) {
    return { url: (await findRunning(workdir)).dbUrl, close: async () => undefined }
  }
  return startDatabase(workdir)
}

/** A database in memory, created by the project's migrations. */
export async function startDatabase(workdir: string, env = process.env): Promise<FoundDatabase> {
  const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'mail'] as const
  const { startStack } = await import('../runtime/stack.ts')
  const stack = await startStack({ workdir, ports: 'free', state: 'memory', exclude, tell: tellEvent, env })
  return { url: stack.dbUrl, close: stack.stop }
}
