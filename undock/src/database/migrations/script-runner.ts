import { serialize } from 'pg-protocol'
import { quoteIdentifier, type Statement, sql } from '../../kernel/sql.ts'
import { PROJECT_USER } from '../as-project-user.ts'
import { decode, encodeScript, encodeStatement, SYNC } from '../protocol/exchange.ts'
import { readFrames } from '../protocol/frames.ts'
import type { Session } from '../session.ts'
import { rewriteStatement, usedCollations } from '../statements/privileged.ts'
import { createdExtension, firstWords, type ScriptStatement, withoutComments } from '../statements/split-statements.ts'
import { controlsTransaction } from './add-migration.ts'
import { ScriptError } from './script-error.ts'

const NOTICE = 'N'.charCodeAt(0)
const RAISED = '01000'

/** Returns the messages of `raise warning`. Postgres' own warnings, such as for nested transactions, have other codes. */
function readWarnings(bytes: Uint8Array): string[] {
  const found: string[] = []
  for (const { type, body } of readFrames(bytes)) {
    if (type !== NOTICE) continue
    const fields = new Map(
      body
        .toString('utf8')
        .split('\0')
        .map((field) => [field.slice(0, 1), field.slice(1)] as const),
    )
    // 'V' is the severity, not localized.
    if (fields.get('V') === 'WARNING' && fields.get('C') === RAISED) found.push(fields.get('M') ?? '')
  }
  return found
}

export type ScriptOptions = {
  /** What to do about a statement that creates a missing extension: 'warn' skips it and later statements that need it. */
  readonly missingExtensions: 'error' | 'warn'
  readonly unusable?: Readonly<Record<string, string>>
  readonly provided?: ReadonlySet<string>
  /** Extensions to create as the login user instead of the user whose rights the scripts have. */
  readonly privileged?: ReadonlySet<string>
  /** Called, with file and line, when something was left out or behaves differently than intended. */
  warn(text: string): void
}

/** Missing tables, columns, functions, operators, types, schemas, …, which follow from a missing extension. */
const MISSING_OBJECT = ['42P01', '42703', '42883', '42704', '3F000', '0A000', '58P01', '22023']
const NO_EXTENSION = /extension "([^"]+)" is not available/
/** The root collation, closest to those of all languages. */
const NEAREST_COLLATION = 'und-x-icu'

/** "cannot run inside a transaction block" (create index concurrently, vacuum), and commits in procedures and DO. */
const NEEDS_OWN_TRANSACTION = ['25001', '2D000']

/** Finds what `supabase db push` undoes or refuses. */
function* pushDifferences(statements: readonly ScriptStatement[]): Generator<[line: number, message: string]> {
  let open: ScriptStatement | null = null
  let role: ScriptStatement | null = null
  for (const one of statements) {
    const words = firstWords(one.text, 4).map((word) => word.toLowerCase())
    const [first = '', second = '', third = ''] = words
    if (first === 'begin' || (first === 'start' && second === 'transaction')) open ??= one
    else if (first === 'rollback' && (second === 'to' || third === 'to')) continue
    else if (['commit', 'end', 'rollback', 'abort'].includes(first)) open = null
    else if (!open && (first === 'lock' || first === 'savepoint'))
      yield [one.line, `works here only: \`supabase db push\` refuses it outside of \`begin;\` and \`commit;\`.`]
    else if (one.rows !== undefined)
      yield [one.line, `works here only: \`supabase db push\` refuses the rows of COPY. Use INSERT.`]
    else if (/^(?:set (?:session )?role|reset (?:role|all))\b/.test(words.join(' ')))
      role = first === 'reset' || /\b(?:none|postgres)\b/i.test(one.text) ? null : one
  }
  if (open)
    yield [
      open.line,
      'begins a transaction that the file does not end. It is committed here; `supabase db push` rolls it back. Write `commit;` at the end.',
    ]
  if (role)
    yield [role.line, 'sets a role, with which `supabase db push` fails at the end. Write `reset role;` at the end.']
}

/** A failure rolls back the change of user too. */
const asLoginUser = (text: string): string =>
  `set session authorization default; ${text}; set session authorization ${quoteIdentifier(PROJECT_USER)}`

export class ScriptRunner {
  readonly #session: Session
  readonly #options: ScriptOptions
  readonly #collations = new Set<string>()
  readonly #missing = new Set<string>()

  constructor(session: Session, options: ScriptOptions) {
    this.#session = session
    this.#options = options
  }

  async run(script: string): Promise<ReturnType<typeof decode>> {
    return decode(await this.#session.exchange(encodeScript(script)))
  }

  async send(one: Statement): Promise<ReturnType<typeof decode>> {
    return decode(await this.#session.exchange(Buffer.concat([...encodeStatement(one, null), SYNC])))
  }

  /** Runs and records all statements in one transaction, or each in its own if some begin or end one, or can't run in one.
   *  @throws {ScriptError} */
  async inTransaction(path: string, statements: readonly ScriptStatement[], record: Statement | null): Promise<void> {
    for (const [line, message] of pushDifferences(statements)) this.#options.warn(`${path}:${line}: ${message}`)
    const isOne = !statements.some(({ text }) => controlsTransaction(text))
    await this.#runAll(path, statements, record, isOne).catch(async (error: unknown) => {
      const { code = '' } = (error instanceof ScriptError ? error.cause : {}) as { code?: string }
      if (!isOne || !NEEDS_OWN_TRANSACTION.includes(code)) throw error
      await this.#runAll(path, statements, record, false)
    })
  }

  async #runAll(path: string, statements: readonly ScriptStatement[], record: Statement | null, isOne: boolean) {
    if (isOne) await this.run('begin')
    try {
      await this.runStatements(path, statements)
      // A script may leave another role set; the record needs the original one.
      await this.run('reset role')
      if (record) await this.send(record)
      await this.run('commit')
    } catch (error) {
      await this.run('rollback')
      throw error
    }
  }

  async runStatements(path: string, statements: readonly ScriptStatement[]): Promise<void> {
    for (const one of statements) {
      try {
        await this.#provideCollations(path, one)
        await this.#statement(path, one)
      } catch (cause) {
        throw cause instanceof Error ? new ScriptError(path, one, cause, this.#options.unusable) : cause
      }
    }
  }

  async #statement(path: string, one: ScriptStatement): Promise<void> {
    if (this.#options.missingExtensions === 'error') return this.#send(path, one)
    const isSaved = await this.#isInTransaction()
    if (isSaved) await this.run('savepoint undock_statement')
    try {
      await this.#send(path, one)
      if (isSaved && (await this.#isInTransaction())) await this.run('release savepoint undock_statement')
    } catch (error) {
      const { code = '', message = '' } = error as Error & { code?: string }
      const missing = NO_EXTENSION.exec(message)
      if (missing) this.#missing.add(missing[1] ?? '')
      else if (this.#missing.size === 0 || !MISSING_OBJECT.includes(code)) throw error
      if (isSaved && (await this.#isInTransaction())) await this.run('rollback to savepoint undock_statement')
      this.#options.warn(`${path}:${one.line}: left out: ${message}`)
    }
  }

  async #isInTransaction(): Promise<boolean> {
    return decode(await this.#session.exchange(SYNC)).status !== 'I'
  }

  async #send(path: string, { text, line, rows }: ScriptStatement): Promise<void> {
    const extension = createdExtension(withoutComments(text)) ?? ''
    if (this.#options.provided?.has(extension)) return
    const rewritten = rewriteStatement(text)
    const query = encodeScript(this.#options.privileged?.has(extension) ? asLoginUser(rewritten) : rewritten)
    // The embedded engine accepts a COPY's rows only in the exchange that begins it.
    const messages =
      rows === undefined
        ? query
        : Buffer.concat([query, serialize.copyData(Buffer.from(rows)), Buffer.from(serialize.copyDone())])
    const answer = await this.#session.exchange(messages)
    for (const warning of readWarnings(answer)) this.#options.warn(`${path}:${line}: ${warning}`)
    decode(answer)
  }

  /** The engine has data for few languages: other collations are copied from the closest one. */
  async #provideCollations(path: string, { text, line }: ScriptStatement): Promise<void> {
    for (const name of usedCollations(text)) {
      if (this.#collations.has(name)) continue
      this.#collations.add(name)
      const { results } = await this.send(sql`select _undock.provide_collation(${name}, ${NEAREST_COLLATION}) as made`)
      if (results[0]?.rows[0]?.made === true)
        this.#options.warn(`${path}:${line}: the collation "${name}" sorts as "${NEAREST_COLLATION}" does`)
    }
  }
}
