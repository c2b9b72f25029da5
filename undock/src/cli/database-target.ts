import { createInterface } from 'node:readline/promises'
import pg from 'pg'
import { connectionTo } from '../kernel/url.ts'
import { UsageError } from './arguments.ts'

/** A database that a command reads and records migrations in. @property isLocal Whether it's the project's running backend. */
export type DatabaseTarget = { readonly url: string; readonly isLocal: boolean }

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connectionTo(url) })
  // A connection in use reports the error to its query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Asks before changing a database other than the project's own, like the CLI.
 *  @param action Such as "Update the history". @throws {UsageError} if the answer is no, or without a terminal and `yes`. */
export async function requireConsent({ isLocal }: DatabaseTarget, action: string, yes: boolean): Promise<void> {
  if (!isLocal) await confirm(action, yes)
}

/** Asks before an action that can't be undone.
 *  @throws {UsageError} when the answer is no, or without a terminal and `yes`. */
export async function confirm(action: string, yes: boolean): Promise<void> {
  if (yes || ['1', 'true'].includes(process.env.SUPABASE_YES ?? '')) return
  if (!process.stdin.isTTY)
    throw new UsageError(`${action}? There is no terminal to ask in, so nothing was changed. Confirm with --yes.`)
  if (!(await ask(action))) throw new UsageError('Nothing was changed.')
}

export async function ask(question: string): Promise<boolean> {
  const questions = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await questions.question(`${question}? [y/N] `).finally(() => questions.close())
  return /^y(?:es)?$/i.test(answer.trim())
}
