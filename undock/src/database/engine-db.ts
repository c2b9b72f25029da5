import { keyword, quoteIdentifier, type Statement, sql, statement } from '../kernel/sql.ts'
import type { Batch, Db, Result, Row, Settings, TransactionOptions } from './db.ts'
import { decode, encodeScript, encodeStatement, SYNC } from './engine/exchange.ts'
import type { Prepared } from './engine/prepared.ts'
import { runScript } from './script.ts'
import type { Engine, Session } from './session.ts'
import { SharedReads } from './shared-reads.ts'

/** A client of the database port may have sent DEALLOCATE ALL: the session is one. */
const UNKNOWN_STATEMENT = '26000'
/** "cached plan must not change result type", after DDL; also every other feature_not_supported. */
const CHANGED_COLUMNS = '0A000'

type FailedExchange = Error & { code?: string; transactionStatus?: string }

/** `Db` on an engine's sessions. */
export function createDb(engine: Engine): Db {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const shared = new SharedReads()

  engine.onNotification(({ channel, payload }) => {
    for (const handler of listeners.get(channel) ?? []) handler(payload)
  })
  engine.onReopened(async () => {
    const listens = [...listeners.keys()].map((channel) => engine.attend(`listen ${quoteIdentifier(channel)}`))
    // What cannot be listened to now is asked for again when the engine is there again.
    await Promise.allSettled(listens)
  })

  const pass = (statements: readonly Statement[], onSent?: OnSent): Promise<Result[]> =>
    twice(() => engine.pass((session) => exchange(session, statements, onSent)))

  async function query<R = Row>(one: Statement): Promise<Result<R>> {
    const [result] = await pass([one])
    return result as Result<R>
  }

  async function exec(script: string): Promise<void> {
    await engine.exclusive((session) => runScript(session, script))
    await engine.heard()
  }

  const runAs = (role: string, script: string): Promise<string> =>
    engine.exclusive(async (session) => {
      await runScript(session, `set role ${quoteIdentifier(role)}`)
      try {
        const last = decode(await session.exchange(encodeScript(script))).results.at(-1)
        if (!last) return ''
        if (last.command === 'SELECT') return last.rowCount === 1 ? '1 row' : `${last.rowCount} rows`
        return last.command === 'INSERT' ? `INSERT 0 ${last.rowCount}` : `${last.command} ${last.rowCount || ''}`.trim()
      } finally {
        await runScript(session, 'rollback')
        await runScript(session, 'reset role; reset all')
      }
    })

  async function run(batch: Batch): Promise<Result[]> {
    const settings = settingsStatement(batch)
    const before = settings ? [settings] : []
    if (batch.end !== 'rollback' && !batch.isolation) {
      const statements = [...before, ...batch.statements]
      const results = batch.isShared
        ? await shared.join(statements, (onSent) => pass(statements, onSent))
        : await pass(statements)
      return results.slice(before.length)
    }
    return transact(batch, (session) => exchange(session, batch.statements))
  }

  function transact<T>(
    options: TransactionOptions & Pick<Batch, 'end'>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    return engine.exclusive(async (session) => {
      const settings = settingsStatement(options)
      try {
        await twice(() => exchange(session, [begin(options), ...(settings ? [settings] : [])]))
        const value = await work(session)
        const [ended] = await exchange(session, [options.end === 'rollback' ? ROLLBACK : COMMIT])
        // COMMIT of a transaction in which a statement failed answers ROLLBACK.
        if (options.end !== 'rollback' && ended?.command !== 'COMMIT')
          throw new Error('The transaction was rolled back')
        return value
      } catch (error) {
        await exchange(session, [ROLLBACK]).catch(() => undefined)
        throw error
      }
    })
  }

  return {
    query,
    exec,
    runAs,
    run,
    transaction: (options, work) =>
      transact(options, (session) =>
        work({
          query: async <R = Row>(one: Statement) => (await exchange(session, [one]))[0] as Result<R>,
        }),
      ),
    async listen(channel, handler) {
      const handlers = listeners.get(channel) ?? new Set()
      listeners.set(channel, handlers.add(handler))
      if (handlers.size === 1) await engine.attend(`listen ${quoteIdentifier(channel)}`)
      return async () => {
        handlers.delete(handler)
        if (handlers.size > 0) return
        listeners.delete(channel)
        await engine.attend(`unlisten ${quoteIdentifier(channel)}`)
      }
    },
  }
}

/** Called with a way to know whether what was sent has begun. */
type OnSent = (hasBegun: () => boolean) => void

/** A statement that was prepared before is not what it was; nothing was kept, and the next attempt prepares it anew. */
class StaleStatement extends Error {}

/** An exchange that began with no transaction open may be sent again: nothing of the first attempt was kept. */
const twice = (attempt: () => Promise<Result[]>): Promise<Result[]> =>
  attempt().catch((error: unknown) => {
    if (error instanceof StaleStatement) return attempt()
    throw error
  })

/** Runs statements in one exchange. Up to its Sync the protocol makes them one implicit transaction, so settings
 *  made with `set_config(…, true)` hold for exactly these statements, without BEGIN and COMMIT.
 *  @throws {StaleStatement} */
async function exchange(session: Session, statements: readonly Statement[], onSent?: OnSent): Promise<Result[]> {
  const { prepared } = session
  const messages: Buffer[] = []
  const known = statements.map(({ text }) => prepared.take(text))
  for (const [index, one] of statements.entries()) {
    const its = known[index]
    messages.push(...(its?.before ?? []), ...encode(one, its?.prepared ?? null))
  }
  messages.push(SYNC)
  const answer = session.exchange(Buffer.concat(messages))
  onSent?.(session.progress())
  const bytes = await answer
  try {
    const { results, columns } = decode(
      bytes,
      (index) => known[index]?.prepared.columns ?? [],
      (index) => statements[index]?.asText === true,
    )
    for (const [index, one] of known.entries()) if (one) one.prepared.columns ??= columns[index] ?? null
    return results
  } catch (error) {
    const parsed = statements.filter((_, index) => known[index]?.before.length)
    for (const { text } of parsed) prepared.forget(text)
    const { code = '', transactionStatus } = error as FailedExchange
    if (code === UNKNOWN_STATEMENT) prepared.clear()
    else if (code === CHANGED_COLUMNS) for (const one of statements) prepared.forget(one.text)
    else throw error
    if (transactionStatus !== 'I' || parsed.length === statements.length) throw error
    throw new StaleStatement('A prepared statement has changed', { cause: error })
  }
}

type Encoded = { readonly prepared: Prepared; readonly messages: readonly Buffer[] }
const encoded = new WeakMap<Statement, Encoded>()

/** What is sent for a statement that comes again is put together once. */
function encode(one: Statement, prepared: Prepared | null): readonly Buffer[] {
  const isKept = one.isKept === true && prepared !== null && prepared.columns !== null
  const known = isKept ? encoded.get(one) : undefined
  if (known && known.prepared === prepared) return known.messages
  const messages = encodeStatement(one, prepared)
  if (isKept) encoded.set(one, { prepared, messages })
  return messages
}

const COMMIT: Statement = { text: 'commit', values: [] }
const ROLLBACK: Statement = { text: 'rollback', values: [] }

function begin({ isolation, access }: TransactionOptions): Statement {
  const words = ['begin', isolation && `isolation level ${isolation}`, access].filter(Boolean)
  return statement(sql`${keyword(words.join(' '))}`)
}

/** By the settings, which are the same object when the same is asked again, and by whether nothing may be written. */
const settingsStatements = {
  'read only': new WeakMap<Settings, Statement>(),
  'read write': new WeakMap<Settings, Statement>(),
}

/** One statement for all settings. Its one column says nothing: the values set need not come back. */
function settingsStatement({ settings = NONE, access = 'read write' }: TransactionOptions): Statement | null {
  const known = settingsStatements[access].get(settings)
  if (known) return known
  const { role, ...others } = access === 'read only' ? { ...settings, transaction_read_only: 'on' } : settings
  // The role goes last: a new one may lack the right to make the other settings.
  const values = [...Object.entries(others), ...(role === undefined ? [] : [['role', role]])].flat()
  if (values.length === 0) return null
  const made = { text: settingsText(values.length / 2), values, isKept: true }
  settingsStatements[access].set(settings, made)
  return made
}

const NONE: Settings = {}

const settingsTexts = new Map<number, string>()

/** It depends on the number of settings alone, so that it stays prepared. `or` goes on from left to right, for none of them is null. */
function settingsText(count: number): string {
  const known = settingsTexts.get(count)
  if (known) return known
  const calls = Array.from({ length: count }, (_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true) is null`)
  const text = `select ${calls.join(' or ')}`
  settingsTexts.set(count, text)
  return text
}
