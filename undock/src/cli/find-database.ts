import { readHolder } from '../database/lock.ts'
import { startStack } from '../stack.ts'
import { lockPath } from '../state-folders.ts'
import { tellEvent } from './report.ts'
import { findRunning } from './running.ts'

export type FoundDatabase = { readonly url: string; close(): Promise<void> }

/** The database that a command works on: the one that SUPABASE_DB_URL names (inside `undock run`), the running stack's,
 *  or one in memory made for it. */
export async function findDatabase(workdir: string): Promise<FoundDatabase> {
  const named = process.env.SUPABASE_DB_URL
  if (named) return { url: named, close: async () => undefined }
  if (await readHolder(lockPath(workdir))) {
    return { url: (await findRunning(workdir)).dbUrl, close: async () => undefined }
  }
  return startDatabase(workdir)
}

/** A database in memory as the project's migrations make it. */
export async function startDatabase(workdir: string, env = process.env): Promise<FoundDatabase> {
  const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'mail'] as const
  const stack = await startStack({ workdir, ports: 'free', state: 'memory', exclude, tell: tellEvent, env })
  return { url: stack.dbUrl, close: stack.stop }
}
