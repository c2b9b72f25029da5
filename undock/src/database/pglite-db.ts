import { keyword, quoteIdentifier, type Statement, sql, statement } from '../kernel/sql.ts'
import type { Batch, Db, Result, Row, Settings, TransactionOptions } from './db.ts'
import type { Engine, Session } from './engine/engine.ts'
import { type Answer, decode, encodeScript, encodeStatement, SYNC } from './engine/exchange.ts'
import { PreparedStatements } from './engine/prepared.ts'

/** A client of the database port may have sent DEALLOCATE ALL: the session is one. */
const UNKNOWN_STATEMENT = '26000'
/** "cached plan must not change result type", after DDL; also every other feature_not_supported. */
const CHANGED_COLUMNS = '0A000'

type FailedExchange = Error & { code?: string; transactionStatus?: string }

/** `Db` on the embedded engine's one session. */
export function createPgliteDb(engine: Engine): Db {
  const prepared = new PreparedStatements()
  const listeners = new Map<string, Set<(payload: string) => void>>()

  engine.onNotification(({ channel, payload }) => {
    for (const handler of listeners.get(channel) ?? []) handler(payload)
  })
  engine.onReopened(() => {
    prepared.clear()
    for (const channel of listeners.keys()) void exec(`listen ${quoteIdentifier(channel)}`)
  })

  /** Runs statements in one exchange. Up to its Sync the protocol makes them one implicit transaction, so settings
   *  made with `set_config(…, true)` hold for exactly these statements, without BEGIN and COMMIT. */
  async function exchange(
    send: (bytes: Uint8Array) => Promise<Uint8Array>,
    statements: readonly Statement[],
    retry = true,
  ): Promise<Answer> {
    const messages: Buffer[] = []
    const parsed: string[] = []
    for (const one of statements) {
      const known = prepared.nameOf(one.text)
      if (known && known.before.length > 0) parsed.push(one.text)
      messages.push(...(known?.before ?? []), ...encodeStatement(one, known?.name ?? null))
    }
    messages.push(SYNC)
    const bytes = await send(Buffer.concat(messages))
    try {
      return decode(bytes)
    } catch (error) {
      for (const text of parsed) prepared.forget(text)
      const { code = '', transactionStatus } = error as FailedExchange
      if (code === UNKNOWN_STATEMENT) prepared.clear()
      else if (code === CHANGED_COLUMNS) for (const one of statements) prepared.forget(one.text)
      else throw error
      if (!retry || transactionStatus !== 'I' || parsed.length === statements.length) throw error
      return exchange(send, statements, false)
    }
  }

  async function query<R = Row>(one: Statement): Promise<Result<R>> {
    const { results } = await exchange(engine.send, [one])
    return results[0] as Result<R>
  }

  async function exec(script: string): Promise<void> {
    await engine.exclusive((session) => runScript(session, script))
  }

  async function run(batch: Batch): Promise<Result[]> {
    const settings = settingsStatement(settingsOf(batch))
    const before = settings ? [settings] : []
    if (batch.end !== 'rollback' && !batch.isolation) {
      const { results } = await exchange(engine.send, [...before, ...batch.statements])
      return results.slice(before.length)
    }
    return transact(batch, (session) =>
      exchange(session.exchange, batch.statements, false).then(({ results }) => results),
    )
  }

  function transact<T>(
    options: TransactionOptions & Pick<Batch, 'end'>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    return engine.exclusive(async (session) => {
      const settings = settingsStatement(settingsOf(options))
      try {
        await exchange(session.exchange, [begin(options), ...(settings ? [settings] : [])])
        const value = await work(session)
        const [ended] = (await exchange(session.exchange, [options.end === 'rollback' ? ROLLBACK : COMMIT], false))
          .results
        // COMMIT of a transaction in which a statement failed answers ROLLBACK.
        if (options.end !== 'rollback' && ended?.command !== 'COMMIT')
          throw new Error('The transaction was rolled back')
        return value
      } catch (error) {
        await exchange(session.exchange, [ROLLBACK], false).catch(() => undefined)
        throw error
      }
    })
  }

  return {
    query,
    exec,
    run,
    transaction: (options, work) =>
      transact(options, (session) =>
        work({
          query: async <R = Row>(one: Statement) =>
            (await exchange(session.exchange, [one], false)).results[0] as Result<R>,
        }),
      ),
    async listen(channel, handler) {
      const handlers = listeners.get(channel) ?? new Set()
      listeners.set(channel, handlers.add(handler))
      if (handlers.size === 1) await exec(`listen ${quoteIdentifier(channel)}`)
      return async () => {
        handlers.delete(handler)
        if (handlers.size > 0) return
        listeners.delete(channel)
        await exec(`unlisten ${quoteIdentifier(channel)}`)
      }
    },
  }
}

const COMMIT: Statement = { text: 'commit', values: [] }
const ROLLBACK: Statement = { text: 'rollback', values: [] }

function begin({ isolation, access }: TransactionOptions): Statement {
  const words = ['begin', isolation && `isolation level ${isolation}`, access].filter(Boolean)
  return statement(sql`${keyword(words.join(' '))}`)
}

const settingsOf = ({ settings, access }: TransactionOptions): Settings =>
  access === 'read only' ? { ...settings, transaction_read_only: 'on' } : (settings ?? {})

/** One statement for all settings; its text depends on their number alone, so that it stays prepared.
 *  `role` goes last: the new role may lack the right to make the other settings. */
function settingsStatement(settings: Settings): Statement | null {
  const { role, ...others } = settings
  const pairs = Object.entries(others)
  if (role !== undefined) pairs.push(['role', role])
  if (pairs.length === 0) return null
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`)
  return { text: `select ${calls.join(', ')}`, values: pairs.flat() }
}

/** Runs a script by the simple protocol; what it leaves open (`begin` without end) is rolled back. */
export async function runScript(session: Session, script: string): Promise<void> {
  const bytes = await session.exchange(encodeScript(script))
  let isOpen = true
  try {
    isOpen = decode(bytes).status !== 'I'
  } finally {
    // Also after an error: the session is everybody's. Where nothing is open, this is no more than a warning.
    if (isOpen) await session.exchange(encodeScript('rollback'))
  }
}
