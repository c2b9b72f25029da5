import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import { controlsTransaction } from '../database/migrations/add-migration.ts'
import { firstWords, splitStatements } from '../database/statements/split-statements.ts'
import { connectionTo } from '../kernel/url.ts'
import { type SizedLoss, sizeLosses, statementLosses } from './find-losses.ts'
import type { ConsoleOptions } from './options.ts'
import { As, Limit } from './query.ts'
import {
  actAs,
  failStatement,
  type RowBatch,
  readStatement,
  type StatementError,
  StatementFailure,
  type StatementResult,
} from './run-statements.ts'
import { createSchemaChanges, type SchemaChanges } from './schema-changes.ts'

/** A script from the editor. `commit` keeps the changes, `rollback` shows and undoes them. With `explain`, each statement that has a plan
 *  is run and returns its plan. */
export const Script = z.strictObject({
  text: z.string(),
  as: As,
  ending: z.enum(['commit', 'rollback']).default('commit'),
  explain: z.boolean().default(false),
  limit: Limit,
  /** Whether to keep the data before statements that delete objects or all rows. */
  snapshot: z.boolean().default(true),
})

/** A script whose losses are requested. */
export const ScriptQuestion = Script.pick({ text: true, as: true, ending: true })

/** @property start The statement's position in the script, from 0. An error's position is relative to the statement; both in UTF-16 code
 *  units. */
export type ScriptStatement = { readonly start: number; readonly text: string }

export type ScriptResult = ScriptStatement & ({ readonly result: StatementResult } | { readonly error: StatementError })

/** @property transaction The state of a transaction that the script left open; null without one.
 *  @property schemaChanges Committed statements that changed the schema, including earlier ones of the same transaction. */
export type ScriptEnd = {
  readonly notices: readonly string[]
  readonly transaction: 'open' | 'failed' | null
  readonly schemaChanges: readonly string[]
}

/** The events of a script in order: for each statement its start, batches of rows, and its end. */
export type ScriptEvent =
  | ({ readonly kind: 'statement' } & ScriptStatement)
  | RowBatch
  | { readonly kind: 'done'; readonly result: Omit<StatementResult, 'fields' | 'rows'> }
  | { readonly kind: 'error'; readonly error: StatementError }
  | ({ readonly kind: 'end' } & ScriptEnd)

export type Tabs = {
  /** Runs a script statement by statement until one fails, in the tab's own session, which keeps settings and transactions.
   *  @throws {AccessQuestionError | StatementFailure} before the first event. */
  runScript(tab: string, script: z.infer<typeof Script>): AsyncGenerator<ScriptEvent, void>
  /** Returns what a script would permanently destroy; nothing if it's rolled back.
   *  @throws {AccessQuestionError | StatementFailure} */
  losses(tab: string, script: z.infer<typeof ScriptQuestion>): Promise<SizedLoss[]>
  /** Cancels the tab's running or next statement. Resolves when it has ended. */
  cancel(tab: string): Promise<void>
  /** Ends the tab's session; an open transaction is rolled back. */
  end(tab: string): Promise<void>
  close(): Promise<void>
}

type Tab = {
  readonly client: pg.Client
  readonly changes: SchemaChanges
  notices: string[]
  running: Promise<void>
  idle?: NodeJS.Timeout
}

/** A script from its request to its end. @property isInStatement Whether Postgres is running one of its statements, or is about to. */
type Run = { readonly tab: string; isCancelled: boolean; isInStatement: boolean }

/** The maximum number of tab sessions. The least recently used one ends when another is needed. */
const MAX_TABS = 10
/** Milliseconds until an idle tab's session ends. */
const IDLE_LIMIT = 30 * 60_000
/** Milliseconds between cancel requests: one that arrives before its statement has no effect. */
const CANCEL_AGAIN = 250

/** @param dbUrl The database, as the project's owner. @param db The database as the stack itself: finds callers. */
export function createTabs(dbUrl: string, db: Db, keepForUndo: ConsoleOptions['keepForUndo']): Tabs {
  const tabs = new Map<string, Tab>()
  const runs = new Set<Run>()

  async function openTab(name: string): Promise<Tab> {
    const known = tabs.get(name)
    if (known) return known
    const oldest = tabs.keys().next()
    if (tabs.size >= MAX_TABS && !oldest.done) await end(oldest.value)
    const client = new pg.Client({ ...connectionTo(dbUrl), application_name: 'undock console' })
    const tab: Tab = { client, changes: createSchemaChanges(), notices: [], running: Promise.resolve() }
    client.on('notice', ({ severity, message, detail }) =>
      tab.notices.push(`${severity}: ${message}${detail === undefined ? '' : `\n${detail}`}`),
    )
    client.on('error', () => tabs.delete(name))
    client.on('end', () => tabs.delete(name))
    await client.connect().catch(failStatement)
    tabs.set(name, tab)
    return tab
  }

  async function end(name: string): Promise<void> {
    const tab = tabs.get(name)
    tabs.delete(name)
    clearTimeout(tab?.idle)
    await tab?.client.end().catch(() => undefined)
  }

  /** Waits until nothing else uses the tab's session. */
  async function enter(name: string): Promise<{ tab: Tab; leave: () => void }> {
    const tab = await openTab(name)
    clearTimeout(tab.idle)
    const before = tab.running
    const { promise, resolve } = Promise.withResolvers<void>()
    tab.running = promise
    await before
    const leave = () => {
      resolve()
      // Most recently used, so it's the last to be evicted.
      if (tabs.delete(name)) tabs.set(name, tab)
      tab.idle = setTimeout(() => void end(name), IDLE_LIMIT).unref()
    }
    return { tab, leave }
  }

  async function* runInTab(tab: Tab, run: Run, script: z.infer<typeof Script>): AsyncGenerator<ScriptEvent, void> {
    const { client, changes } = tab
    const { text, as, ending } = script
    const keeps = script.snapshot && ending === 'commit' && statementLosses(text).length > 0
    const snapshot = keeps && (await keepForUndo?.('SQL editor').catch(failStatement))
    tab.notices = snapshot ? [snapshot] : []
    const caller = as === undefined ? null : await findCaller(db, as)
    const isOpen = client.getTransactionStatus() !== 'I'
    // The role is set for one transaction only, so that it doesn't affect the tab's next script.
    const isWrapped = !isOpen && (caller !== null || ending === 'rollback')
    try {
      if (isWrapped) await client.query('begin')
      if (caller && client.getTransactionStatus() !== 'E') await actAs(client, caller)
      const isWhole = yield* runStatements(tab, run, script)
      if (isWrapped && isWhole && ending === 'commit' && client.getTransactionStatus() === 'T')
        yield* commit(tab, text.length)
    } finally {
      // An ended session has no transaction either.
      if (isWrapped && client.getTransactionStatus() !== 'I') {
        await client.query('rollback').catch(() => undefined)
        changes.note('rollback', 'ROLLBACK', false)
      } else if (caller && client.getTransactionStatus() === 'T')
        await client.query("select set_config('role', 'none', true), set_config('request.jwt.claims', '', true)")
    }
    const transaction = STATUS[client.getTransactionStatus() ?? 'I'] ?? null
    yield { kind: 'end', notices: tab.notices, transaction, schemaChanges: changes.takeCommitted() }
  }

  return {
    async *runScript(name, script) {
      const run: Run = { tab: name, isCancelled: false, isInStatement: false }
      runs.add(run)
      const { tab, leave } = await enter(name).catch((error: unknown) => {
        runs.delete(run)
        throw error
      })
      try {
        yield* runInTab(tab, run, script)
      } finally {
        runs.delete(run)
        leave()
      }
    },
    async losses(name, { text, as, ending }) {
      const losses = statementLosses(text)
      if (losses.length === 0) return []
      const caller = as === undefined ? null : await findCaller(db, as)
      const { tab, leave } = await enter(name)
      const { client } = tab
      const status = client.getTransactionStatus()
      try {
        const isTakenBack = status === 'I' && ending === 'rollback'
        if (isTakenBack && !splitStatements(text).some((one) => controlsTransaction(one.text))) return []
        // Postgres refuses queries in a failed transaction.
        if (status === 'E') return losses.map((loss) => ({ ...loss, count: null, tables: null, others: [] }))
        tab.notices = []
        await client.query(status === 'I' ? 'begin' : 'savepoint losses')
        if (caller) await actAs(client, caller)
        return await sizeLosses(client, tab.notices, losses)
      } finally {
        const back = status === 'T' ? 'rollback to savepoint losses; release savepoint losses' : 'rollback'
        // An ended session has no transaction either.
        if (client.getTransactionStatus() === 'T') await client.query(back).catch(() => undefined)
        leave()
      }
    },
    async cancel(name) {
      const cancelled = [...runs].filter(({ tab }) => tab === name)
      for (const run of cancelled) run.isCancelled = true
      const client = tabs.get(name)?.client as unknown as { processID: number; secretKey: number } | undefined
      while (client && cancelled.some(({ isInStatement }) => isInStatement)) {
        await sendCancel(dbUrl, client.processID, client.secretKey)
        await delay(CANCEL_AGAIN)
      }
    },
    end,
    async close() {
      await Promise.all([...tabs.keys()].map(end))
    },
  }
}

/** @returns whether all statements succeeded. */
async function* runStatements(
  { client, changes }: Tab,
  run: Run,
  { text, explain, limit }: z.infer<typeof Script>,
): AsyncGenerator<ScriptEvent, boolean> {
  let start = 0
  for (const { text: statement } of splitStatements(text)) {
    start = text.indexOf(statement, start)
    const prefix = explain && hasPlan(statement) ? EXPLAIN : ''
    yield { kind: 'statement', start, text: statement }
    try {
      if (run.isCancelled) throw new StatementFailure(CANCELLED)
      run.isInStatement = true
      const result = yield* readStatement(client, prefix + statement, [], limit)
      // A later cancel request would cancel the next statement.
      run.isInStatement = false
      if (prefix === '') changes.note(statement, result.command, client.getTransactionStatus() !== 'I')
      yield { kind: 'done', result }
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error
      yield { kind: 'error', error: inScript(error.fault, prefix + statement, prefix.length) }
      return false
    } finally {
      run.isInStatement = false
    }
    start += statement.length
  }
  return true
}

/** Postgres' error for a canceled statement. */
const CANCELLED = Object.assign(new Error('canceling statement due to user request'), { code: '57014' })

/** A deferred constraint may be violated only at the end. */
async function* commit({ client, changes }: Tab, start: number): AsyncGenerator<ScriptEvent, void> {
  try {
    const { command } = await client.query('commit')
    changes.note('commit', command, false)
  } catch (error) {
    yield { kind: 'statement', start, text: 'commit' }
    yield { kind: 'error', error: new StatementFailure(error).fault }
  }
}

const STATUS: Readonly<Record<string, 'open' | 'failed' | null>> = { I: null, T: 'open', E: 'failed' }

const EXPLAIN = 'explain (analyze, buffers, format json) '
const WITH_PLAN = ['select', 'insert', 'update', 'delete', 'merge', 'with', 'values', 'table']

/** Whether a statement can be explained (https://www.postgresql.org/docs/current/sql-explain.html). */
function hasPlan(statement: string): boolean {
  const [word] = firstWords(statement, 1)
  // `(select …) union …` doesn't start with a word.
  return word === undefined || WITH_PLAN.includes(word.toLowerCase())
}

/** Adjusts an error's position for a statement sent with a prefix. Postgres counts characters, JavaScript UTF-16 code units. */
function inScript(fault: StatementError, sent: string, prefix: number): StatementError {
  if (fault.position === undefined) return fault
  const before = Array.from(sent)
    .slice(0, fault.position - 1)
    .join('')
  return { ...fault, position: Math.max(1, before.length + 1 - prefix) }
}

/** The code of a cancel request (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_REQUEST = 80_877_102

/** Sends a cancel request on a separate connection. Postgres doesn't answer it. */
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
