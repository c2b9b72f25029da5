import { connect } from 'node:net'
import pg from 'pg'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import { controlsTransaction } from '../database/migrations/add-migration.ts'
import { firstWords, splitStatements } from '../database/statements/split-statements.ts'
import { actAs, runStatement, type StatementError, StatementFailure, type StatementResult } from './run-statements.ts'

const Values = z.array(z.union([z.string(), z.null()])).max(10_000)
const Limit = z.int().min(0).max(100_000).default(1_000)
/** A role, or a user by id, address or phone number; the project's owner unless it is given. */
const As = z.string().min(1).max(320).optional()

/** What the console's own screens ask: some statements in one transaction. With `trial`, a script that the project's owner runs
 *  before them, the transaction is rolled back. */
export const Queries = z.strictObject({
  as: As,
  trial: z.string().optional(),
  access: z.enum(['read', 'write']).default('read'),
  statements: z
    .array(z.strictObject({ text: z.string(), values: Values.default([]), limit: Limit }))
    .min(1)
    .max(1_000),
})

/** What a person has typed. `commit` keeps what the statements change, `rollback` shows it and takes it back. With `explain`, the
 *  result of each statement that has a plan is the plan, after it was run. */
export const Script = z.strictObject({
  text: z.string(),
  as: As,
  ending: z.enum(['commit', 'rollback']).default('commit'),
  explain: z.boolean().default(false),
  limit: Limit,
})

/** @property start The character of the script that the statement begins at, from 0. The position of an error is a character of
 *  the statement, too, both in units of UTF-16. */
export type ScriptResult = { readonly start: number; readonly text: string } & (
  | { readonly result: StatementResult }
  | { readonly error: StatementError }
)

/** @property transaction What a transaction that the script left open is in; null when none is open. */
export type ScriptOutcome = {
  readonly results: readonly ScriptResult[]
  readonly notices: readonly string[]
  readonly transaction: 'open' | 'failed' | null
}

export type Queryable = {
  /** Runs all statements or, when one fails, none.
   *  @throws {StatementFailure | AccessQuestionError} the latter when nobody has that name. */
  run(queries: z.infer<typeof Queries>): Promise<StatementResult[]>
  /** Runs a script statement by statement until one fails, on the tab's own session: what it sets or begins stays.
   *  @throws {AccessQuestionError} */
  runScript(tab: string, script: z.infer<typeof Script>): Promise<ScriptOutcome>
  /** Gives `use` a session in no transaction. */
  withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T>
  /** Asks Postgres to cancel what the tab runs. */
  cancel(tab: string): Promise<void>
  /** Ends the tab's session; an open transaction is rolled back. */
  end(tab: string): Promise<void>
  /** The names of types by their ids. */
  typeNames(ids: readonly number[]): Promise<Record<number, string>>
  close(): Promise<void>
}

type Tab = { readonly client: pg.Client; notices: string[]; running: Promise<unknown>; idle?: NodeJS.Timeout }

/** Sessions that the console's own screens share. */
const POOL_SIZE = 4
/** Sessions of tabs; the one that was used the longest ago ends when there is another. */
const MOST_TABS = 10
/** Milliseconds after which the session of a tab ends that nobody uses. */
const IDLE_LIMIT = 30 * 60_000

/** @param dbUrl The database, as the project's owner. @param db The database as the stack itself: finds callers. */
export function createQueryable(dbUrl: string, db: Db): Queryable {
  const settings = { connectionString: dbUrl, application_name: 'undock console' }
  const pool = new pg.Pool({ ...settings, max: POOL_SIZE, idleTimeoutMillis: 10_000 })
  // A reset ends the pool's idle sessions.
  pool.on('error', () => undefined)
  const tabs = new Map<string, Tab>()
  const names = new Map<number, string>()

  async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new StatementFailure(error)
    })
    let fault: Error | undefined
    try {
      return await use(client)
    } catch (error) {
      fault = error as Error
      throw error
    } finally {
      // A session that did not get back to its transaction's end is not used again.
      client.release(client.getTransactionStatus() === 'I' ? undefined : (fault ?? true))
    }
  }

  async function openTab(name: string): Promise<Tab> {
    const known = tabs.get(name)
    if (known) return known
    const oldest = tabs.keys().next()
    if (tabs.size >= MOST_TABS && !oldest.done) await end(oldest.value)
    const client = new pg.Client(settings)
    const tab: Tab = { client, notices: [], running: Promise.resolve() }
    client.on('notice', ({ severity, message }) => tab.notices.push(`${severity}: ${message}`))
    client.on('error', () => tabs.delete(name))
    client.on('end', () => tabs.delete(name))
    await client.connect().catch((error: unknown) => {
      throw new StatementFailure(error)
    })
    tabs.set(name, tab)
    return tab
  }

  async function end(name: string): Promise<void> {
    const tab = tabs.get(name)
    tabs.delete(name)
    clearTimeout(tab?.idle)
    await tab?.client.end().catch(() => undefined)
  }

  async function runInTab(
    tab: Tab,
    { text, as, ending, explain, limit }: z.infer<typeof Script>,
  ): Promise<ScriptOutcome> {
    const { client } = tab
    tab.notices = []
    const caller = as === undefined ? null : await findCaller(db, as)
    const isOpen = client.getTransactionStatus() !== 'I'
    // A role is set for one transaction, so that the next script of the tab does not run with it.
    const isWrapped = !isOpen && (caller !== null || ending === 'rollback')
    const results: ScriptResult[] = []
    if (isWrapped) await client.query('begin')
    if (caller && client.getTransactionStatus() !== 'E') await actAs(client, caller)
    let start = 0
    for (const { text: statement } of splitStatements(text)) {
      start = text.indexOf(statement, start)
      const prefix = explain && hasPlan(statement) ? EXPLAIN : ''
      try {
        results.push({ start, text: statement, result: await runStatement(client, prefix + statement, [], limit) })
      } catch (error) {
        if (!(error instanceof StatementFailure)) throw error
        results.push({ start, text: statement, error: inScript(error.fault, prefix + statement, prefix.length) })
        break
      }
      start += statement.length
    }
    const hasFailed = results.some((one) => 'error' in one)
    if (isWrapped && client.getTransactionStatus() !== 'I')
      await client.query(hasFailed || ending === 'rollback' ? 'rollback' : 'commit')
    else if (caller && client.getTransactionStatus() === 'T')
      await client.query("select set_config('role', 'none', true), set_config('request.jwt.claims', '', true)")
    return { results, notices: tab.notices, transaction: STATUS[client.getTransactionStatus() ?? 'I'] ?? null }
  }

  return {
    withClient,
    async run({ as, trial, access, statements }) {
      const caller = as === undefined ? null : await findCaller(db, as)
      return withClient(async (client) => {
        await client.query(access === 'read' && trial === undefined ? 'begin read only' : 'begin')
        try {
          for (const { text } of splitStatements(trial ?? '')) {
            if (controlsTransaction(text)) throw new StatementFailure(new Error(NO_CONTROL))
            await runStatement(client, text, [], 0)
          }
          if (caller) await actAs(client, caller)
          const results: StatementResult[] = []
          for (const { text, values, limit } of statements)
            results.push(await runStatement(client, text, values, limit))
          await client.query(trial === undefined ? 'commit' : 'rollback').catch((error: unknown) => {
            throw new StatementFailure(error)
          })
          return results
        } catch (error) {
          await client.query('rollback').catch(() => undefined)
          throw error
        }
      })
    },
    async runScript(name, script) {
      const tab = await openTab(name)
      clearTimeout(tab.idle)
      const running = tab.running.catch(() => undefined).then(() => runInTab(tab, script))
      tab.running = running
      try {
        return await running
      } finally {
        // Used last, so it is the last to make room for another.
        if (tabs.delete(name)) tabs.set(name, tab)
        tab.idle = setTimeout(() => void end(name), IDLE_LIMIT).unref()
      }
    },
    async cancel(name) {
      const tab = tabs.get(name)
      if (!tab) return
      const { processID, secretKey } = tab.client as unknown as { processID: number; secretKey: number }
      await sendCancel(dbUrl, processID, secretKey)
    },
    end,
    async typeNames(ids) {
      const unknown = [...new Set(ids)].filter((id) => !names.has(id))
      if (unknown.length > 0) {
        const text = 'select oid::text, format_type(oid, null) from pg_type where oid = any($1::oid[])'
        const { rows } = await withClient((client) =>
          runStatement(client, text, [`{${unknown.join(',')}}`], unknown.length),
        )
        for (const [id, name] of rows) names.set(Number(id), name ?? '')
      }
      return Object.fromEntries(ids.map((id) => [id, names.get(id) ?? 'unknown']))
    },
    async close() {
      await Promise.all([...tabs.keys()].map(end))
      await pool.end()
    },
  }
}

const EXPLAIN = 'explain (analyze, buffers, format json) '
const WITH_PLAN = ['select', 'insert', 'update', 'delete', 'merge', 'with', 'values', 'table']

/** Whether a statement can be explained (https://www.postgresql.org/docs/current/sql-explain.html). */
function hasPlan(statement: string): boolean {
  const [word] = firstWords(statement, 1)
  // No word comes first in `(select …) union …`.
  return word === undefined || WITH_PLAN.includes(word.toLowerCase())
}

/** An error of a statement that was sent behind a prefix. Postgres counts characters, and JavaScript units of UTF-16. */
function inScript(fault: StatementError, sent: string, prefix: number): StatementError {
  if (fault.position === undefined) return fault
  const before = Array.from(sent)
    .slice(0, fault.position - 1)
    .join('')
  return { ...fault, position: Math.max(1, before.length + 1 - prefix) }
}

const NO_CONTROL = 'A script on trial begins and ends no transaction: all of it is taken back.'

const STATUS: Readonly<Record<string, 'open' | 'failed' | null>> = { I: null, T: 'open', E: 'failed' }

/** Code of a request to cancel (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_REQUEST = 80_877_102

/** Sends Postgres' request to cancel, on a connection of its own. Postgres does not answer it. */
async function sendCancel(dbUrl: string, processId: number, secretKey: number): Promise<void> {
  const { hostname, port } = new URL(dbUrl)
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, CANCEL_REQUEST, processId, secretKey].entries())
    message.writeInt32BE(value, index * 4)
  const socket = connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''))
  socket.on('error', () => undefined)
  socket.end(message)
  await new Promise((resolve) => socket.once('close', resolve))
}
