import { keyword, quoteIdentifier, type Statement, sql } from '../kernel/sql.ts'
import type { Batch, Db, Result, Row, TransactionOptions } from './db.ts'
import { engineBusy } from './protocol/errors.ts'
import { decode, encodeScript, encodeStatement, runScript, SYNC, withBind } from './protocol/exchange.ts'
import type { Engine, ExchangeOptions, Session } from './session.ts'
import { createSettingsWriter, sessionUserOf } from './settings-statement.ts'

type Waiter = { readonly enter: () => void }
type Share = { running: number; readonly waiting: Waiter[] }

/** Gives each caller a share of the sessions, so that a caller with many slow queries only waits for itself. */
export class CallerShares {
  readonly #most: number
  readonly #waitLimit: number
  readonly #shares = new Map<string, Share>()

  constructor(most: number, waitLimit: number) {
    this.#most = most
    this.#waitLimit = waitLimit
  }

  /** @param caller Undefined for the stack's own work, which is unlimited.
   *  @throws 55P03 after the wait limit. */
  async run<T>(caller: string | undefined, work: () => Promise<T>): Promise<T> {
    if (caller === undefined) return work()
    const share = this.#shares.get(caller) ?? { running: 0, waiting: [] }
    this.#shares.set(caller, share)
    if (share.running >= this.#most) await this.#wait(share)
    else share.running += 1
    try {
      return await work()
    } finally {
      const next = share.waiting.shift()
      if (next) next.enter()
      else if (--share.running === 0) this.#shares.delete(caller)
    }
  }

  #wait({ waiting }: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(engineBusy(this.#waitLimit))
      }, this.#waitLimit)
      timer.unref()
      const waiter: Waiter = {
        enter() {
          clearTimeout(timer)
          resolve()
        },
      }
      waiting.push(waiter)
    })
  }
}

/** "prepared statement does not exist": the project may run DEALLOCATE ALL. */
const UNKNOWN_STATEMENT = '26000'
/** "cached plan must not change result type" after DDL, but also other feature_not_supported errors. */
const CHANGED_COLUMNS = '0A000'

type FailedExchange = Error & { code?: string }

export function createDb(engine: Engine): Db {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const shares = new CallerShares(engine.callerShare, engine.waitLimit)
  const { settingsStatement, roleCheckStatement } = createSettingsWriter(engine.isSuperuser)

  engine.onNotification(({ channel, payload }) => {
    for (const handler of listeners.get(channel) ?? []) handler(payload)
  })
  engine.onReopened(async () => {
    const listens = [...listeners.keys()].map((channel) => engine.runListen(`listen ${quoteIdentifier(channel)}`))
    // A LISTEN that fails now is sent again when the engine is reopened.
    await Promise.allSettled(listens)
  })

  const exchangeOnce = (
    statements: readonly Statement[],
    { onSession, ...options }: ExchangeOptions & { onSession?: (() => void) | undefined },
  ): Promise<Result[]> =>
    retryStale((isRetry) =>
      engine.exchangeOnce((session) => {
        onSession?.()
        return exchange(session, statements, isRetry)
      }, options),
    )

  async function query<R = Row>(
    one: Statement,
    { onSession }: Pick<TransactionOptions, 'onSession'> = {},
  ): Promise<Result<R>> {
    const [result] = await exchangeOnce([one], { onSession })
    return result as Result<R>
  }

  async function exec(script: string): Promise<void> {
    await engine.withSession((session) => runScript(session, script))
    await engine.flushNotifications()
  }

  const runAs = (role: string, script: string): Promise<string> =>
    engine.withSessionOf(role, async (session) => {
      const lastResult = decode(await session.exchange(encodeScript(script))).results.at(-1)
      if (!lastResult) return ''
      if (lastResult.command === 'SELECT') return lastResult.rowCount === 1 ? '1 row' : `${lastResult.rowCount} rows`
      return lastResult.command === 'INSERT'
        ? `INSERT 0 ${lastResult.rowCount}`
        : `${lastResult.command} ${lastResult.rowCount || ''}`.trim()
    })

  async function run(batch: Batch): Promise<Result[]> {
    const { preparedSettings: settings = settingsStatement(batch) } = batch
    const checks = batch.requiredRole === undefined ? [] : [roleCheckStatement(batch.requiredRole)]
    const before = settings ? [settings, ...checks] : checks
    if (batch.end !== 'rollback' && !batch.isolation) {
      const statements = [...before, ...batch.statements]
      const user = sessionUserOf(batch)
      const { onSession, caller, timedBy } = batch
      const results = await shares.run(caller, () => exchangeOnce(statements, { user, onSession, timedBy }))
      return results.slice(before.length)
    }
    return transact(batch, (send) => send(batch.statements))
  }

  function transact<T>(options: TransactionOptions, work: (send: Send) => Promise<T>): Promise<T> {
    const inTransaction = async (session: Session): Promise<T> => {
      options.onSession?.()
      const { preparedSettings: settings = settingsStatement(options) } = options
      const opening = [begin(options), ...(settings ? [settings] : [])]
      let isFirst = true
      const send: Send = async (statements) => {
        const mayRestart = isFirst
        isFirst = false
        try {
          return await exchange(session, statements)
        } catch (error) {
          if (!(error instanceof StaleStatementError)) throw error
          if (!mayRestart) throw error.cause
          await exchange(session, [ROLLBACK], true)
          await exchange(session, opening, true)
          return exchange(session, statements, true)
        }
      }
      try {
        await retryStale((isRetry) => exchange(session, opening, isRetry))
        const value = await work(send)
        const [ended] = await exchange(session, [options.end === 'rollback' ? ROLLBACK : COMMIT])
        // Postgres answers COMMIT with ROLLBACK when a statement of the transaction failed.
        if (options.end !== 'rollback' && ended?.command !== 'COMMIT')
          throw new Error('The transaction was rolled back')
        return value
      } catch (error) {
        await exchange(session, [ROLLBACK]).catch(() => undefined)
        throw error
      }
    }
    const user = sessionUserOf(options)
    return shares.run(options.caller, () =>
      options.hasOwnSession && user !== undefined
        ? engine.withSessionOf(user, inTransaction)
        : engine.withSession(inTransaction, user),
    )
  }

  return {
    query,
    exec,
    runAs,
    prepareSettings(options) {
      const settings = settingsStatement(options)
      return settings && withBind(settings)
    },
    run,
    transaction: (options, work) =>
      transact(options, (send) =>
        work({ query: async <R = Row>(one: Statement) => (await send([one]))[0] as Result<R> }),
      ),
    async listen(channel, handler) {
      const handlers = listeners.get(channel) ?? new Set()
      listeners.set(channel, handlers.add(handler))
      if (handlers.size === 1) await engine.runListen(`listen ${quoteIdentifier(channel)}`)
      return async () => {
        handlers.delete(handler)
        if (handlers.size > 0) return
        listeners.delete(channel)
        await engine.runListen(`unlisten ${quoteIdentifier(channel)}`)
      }
    },
  }
}

type Send = (statements: readonly Statement[]) => Promise<Result[]>

/** A prepared statement is gone or has other columns; the exchange was rolled back. */
class StaleStatementError extends Error {}

/** Retries an exchange with a stale prepared statement; the first attempt began outside a transaction and left nothing. */
const retryStale = (attempt: (isRetry: boolean) => Promise<Result[]>): Promise<Result[]> =>
  attempt(false).catch((error: unknown) => {
    if (error instanceof StaleStatementError) return attempt(true)
    throw error
  })

/** Runs statements in one exchange. All messages up to Sync are one implicit transaction, so `set_config(…, true)`
 *  applies to exactly these statements, without BEGIN and COMMIT.
 *  @throws {StaleStatementError} */
async function exchange(session: Session, statements: readonly Statement[], isRetry = false): Promise<Result[]> {
  const { prepared } = session
  const preparations = statements.map(({ text, isUnprepared }) => (isRetry || isUnprepared ? null : prepared.use(text)))
  const messages: Buffer[] = prepared.takeCloseMessages()
  for (const [index, one] of statements.entries()) {
    const preparation = preparations[index]
    messages.push(...(preparation?.parseMessages ?? []), ...encodeStatement(one, preparation?.prepared ?? null))
  }
  messages.push(SYNC)
  const bytes = await session.exchange(Buffer.concat(messages))
  try {
    const { results, columns } = decode(bytes, (index) => preparations[index]?.prepared.columns ?? [])
    for (const [index, one] of preparations.entries()) if (one) one.prepared.columns ??= columns[index] ?? null
    return results
  } catch (error) {
    const parsed = statements.filter((_, index) => preparations[index]?.parseMessages.length)
    for (const { text } of parsed) prepared.forget(text)
    const { code = '' } = error as FailedExchange
    if (code === UNKNOWN_STATEMENT) prepared.forgetAll()
    else if (code === CHANGED_COLUMNS) for (const one of statements) prepared.forget(one.text)
    else throw error
    if (preparations.every((one, index) => one === null || parsed.includes(statements[index] as Statement))) throw error
    throw new StaleStatementError('A prepared statement has changed', { cause: error })
  }
}

const COMMIT: Statement = { text: 'commit', values: [] }
const ROLLBACK: Statement = { text: 'rollback', values: [] }

function begin({ isolation, access }: TransactionOptions): Statement {
  const words = ['begin', isolation && `isolation level ${isolation}`, access].filter(Boolean)
  return sql`${keyword(words.join(' '))}`
}
