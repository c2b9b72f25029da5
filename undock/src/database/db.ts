import type { Statement } from '../kernel/sql.ts'

/** Settings that hold for one transaction, as `set_config(name, value, true)` would make them:
 *  `role`, `request.jwt.claims`, `request.method`, `search_path`, `statement_timeout` … */
export type Settings = Readonly<Record<string, string>>

export type Row = Record<string, unknown>

/** A column as a result describes it; `type` is its type's oid, of a domain that of the type below it. */
export type TextColumn = { readonly name: string; readonly type: number }

/** Rows as Postgres wrote them, for who turns many of them into bytes again. */
export type TextRows = {
  readonly columns: readonly TextColumn[]
  /** One after another the DataRow messages of the protocol: a message's type (1 byte) and length (4), how many values (2),
   *  and of each value its length (4, -1 for null) and text. What else came between them parts them. */
  readonly parts: readonly Buffer[]
}

export type Result<R = Row> = {
  readonly rows: R[]
  /** Rows returned or affected, as the command tag counts them. */
  readonly rowCount: number
  /** The command tag's first word: SELECT, INSERT, UPDATE, … */
  readonly command: string
  /** Of a statement that wants its rows as text; `rows` is empty then. */
  readonly text?: TextRows
}

export type TransactionOptions = {
  readonly settings?: Settings
  readonly access?: 'read only' | 'read write'
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
}

/** A list of statements that run in one transaction and cross to the engine together. */
export type Batch = TransactionOptions & {
  readonly statements: readonly Statement[]
  /** Whether others who ask for the same may be given this one's results, as long as it has not begun to run. */
  readonly isShared?: boolean
  /** 'rollback' runs everything and keeps nothing (PostgREST's `Prefer: tx=rollback`). */
  readonly end?: 'commit' | 'rollback'
}

export type Transaction = {
  query<R = Row>(statement: Statement): Promise<Result<R>>
}

export type Notification = { readonly channel: string; readonly payload: string }

/** The one door to Postgres; nothing above `database/` knows which engine is behind it.
 *
 *  Values come back as pg-types parses them: int2/int4/oid/float as numbers, int8 and numeric as strings,
 *  bool as booleans, json/jsonb parsed, timestamptz as Date, bytea as Buffer, arrays as arrays.
 *  Parameters may be null, strings, numbers, booleans, Dates, Buffers, arrays, and objects (sent as JSON).
 *
 *  @throws {DatabaseError} of the package `pg`, with SQLSTATE in `code`, `detail`, `hint`, `constraint` … */
export type Db = {
  /** One statement in a transaction of its own, as the stack itself (all rights, no row security). */
  query<R = Row>(statement: Statement): Promise<Result<R>>
  /** Several statements in one transaction and one crossing; one result a statement. The fast path. */
  run(batch: Batch): Promise<Result[]>
  /** An interactive transaction. On PGlite it holds the only session: keep it short, wait for nothing
   *  but the database inside it. Rolls back when `work` throws. */
  transaction<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** A script of several statements by the simple protocol, as one implicit transaction. What it notifies has
   *  been heard when it is done. */
  exec(script: string): Promise<void>
  /** A script as a client acting as this role would send it, in no transaction of ours: VACUUM and procedures that
   *  commit work.
   *  @returns what its last statement tells: the command and how many rows. */
  runAs(role: string, script: string): Promise<string>
  /** Calls `handler` for each NOTIFY on the channel until the returned function is called. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>
}
