import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { asProjectUser } from '../database/as-project-user.ts'
import type { StackOptions } from '../runtime/stack/options.ts'
import type { Stack } from '../runtime/stack/stack.ts'
import { lastMailTo } from './mails.ts'
import type { TestStack, TestStackOptions } from './test-stack.ts'
import { createTestUser } from './users.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/** A stack with its inner parts as well, which the library does not show. */
export type WholeStack = Stack & TestStack

/** How to fork each stack. */
const forks = new WeakMap<TestStack, (options: Partial<StackOptions>) => Promise<WholeStack>>()

/** Starts a second backend in memory with a stack's rows, users and files as of now. From then on they change
 *  independently.
 *  @param options Differ from the stack's. @throws {Error} for a database on another server. */
export async function forkStack(stack: TestStack, options: TestStackOptions = {}): Promise<TestStack> {
  const fork = forks.get(stack)
  if (!fork) throw new Error('Only a stack of startStack, stackTest or forkStack can be forked')
  return fork(options)
}

/** `startStack` of the library, for undock's own tests. */
export async function startWholeStack(options: Partial<StackOptions> = {}): Promise<WholeStack> {
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
  const whole: WholeStack = {
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
  forks.set(whole, (more) => {
    if (!stack.copyState) throw new Error('The database is on a server that undock did not start, and cannot be copied')
    // Data can be read by the engine that wrote it only.
    const engine = stack.engine.kind === 'native' ? 'native' : 'pglite'
    return startWholeStack({
      ...options,
      name: null,
      state: 'memory',
      ports: 'free',
      ...more,
      engine,
      from: stack.copyState,
    })
  })
  return whole
}

function nearestProject(): string {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'supabase'))) return folder
    if (folder === dirname(folder)) throw new Error('No folder "supabase" here or above: name the project with workdir')
  }
}
