import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { asProjectUser } from '../database/as-project-user.ts'
import type { ApiKeys } from '../identity/identity.ts'
import type { StackOptions } from '../runtime/stack/options.ts'
import type { Stack } from '../runtime/stack/stack.ts'
import { lastMailTo, type MailOptions, type TestMail } from './mails.ts'
import { createTestUser, type TestUser, type UserOptions } from './users.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type TestStackOptions = Partial<StackOptions>

/** A running backend, and what tests ask of one. */
export type TestStack = Stack & {
  readonly keys: ApiKeys
  /** A statement as `postgres`, whatever row security says.
   *  @param text With `$1 …` for values. */
  query<R = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** A confirmed user with a session. */
  createUser(options?: UserOptions): Promise<TestUser>
  /** The newest mail to an address; waits for it. */
  lastMail(to: string, options?: MailOptions): Promise<TestMail>
  /** Waits until a statement finds rows, such as the one that an ingestion ends with.
   *  @returns the rows. */
  waitForRows<R = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: WaitOptions,
  ): Promise<[R, ...R[]]>
}

/** Starts a project's backend for a test: in memory, on free ports, from the snapshot of its migrations and seed.
 *  Many may run at once. Options are those of `undock start`.
 *  @throws {ConfigError | ScriptError} with what to do about it. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  const workdir = options.workdir ?? nearestProject()
  // A test worker is a new process each time, and reads the same modules; Node keeps them compiled.
  enableCompileCache()
  const { startStack: start } = await import('../runtime/stack/stack.ts')
  const stack = await start({ ports: 'free', state: 'memory', ...options, workdir })
  const { identity, clock, url } = stack
  // A test must not run the project's triggers with more rights than the project has.
  const db = asProjectUser(stack.db)
  const query: TestStack['query'] = async <R>(text: string, values: readonly unknown[] = []) => {
    const [result] = await db.run({ statements: [{ text, values }] })
    return result?.rows as R[]
  }
  return {
    ...stack,
    keys: identity.keys,
    query,
    createUser: (options = {}) => createTestUser({ url, keys: identity.keys, clock }, options),
    lastMail: (to, options = {}) => lastMailTo(stack.mailUrl, to, options),
    waitForRows: <R>(text: string, values: readonly unknown[] = [], wait: WaitOptions = {}) =>
      waitUntil(
        async () => {
          const [first, ...rest] = await query<R>(text, values)
          return first && ([first, ...rest] as [R, ...R[]])
        },
        `rows of ${text}`,
        wait,
      ),
  }
}

function nearestProject(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'supabase'))) return folder
    if (folder === dirname(folder)) throw new Error('No folder "supabase" here or above: name the project with workdir')
  }
}
