import { type Statement, sql } from '../kernel/sql.ts'

/** Settings for one transaction, as by `set_config(name, value, true)`: `role`, `request.jwt.claims`, `search_path`,
 *  `statement_timeout` … `role` is set in a session of `authenticator`, so roles not granted to it fail with 42501 and
 *  unknown ones with 22023. The stack's own work sets `session_authorization` instead. */
export type Settings = Readonly<Record<string, string>>

export type Row = Record<string, unknown>

export type Result<R = Row> = {
  readonly rows: R[]
  readonly rowCount: number
  readonly command: string
}

export type TransactionOptions = {
  readonly settings?: Settings
  /** `prepareSettings`' result for the same settings and access. */
  readonly preparedSettings?: Statement | null
  readonly access?: 'read only' | 'read write'
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Runs in its own session, authenticated as `session_authorization`, which ends with the transaction. */
  readonly hasOwnSession?: boolean
  /** Whose share of the sessions this uses. Left out by the stack's own work. */
  readonly caller?: string
  readonly end?: 'commit' | 'rollback'
  /** Called once the work has a session; until then it waits for other callers. */
  readonly onSession?: () => void
}

export type Batch = TransactionOptions & {
  readonly statements: readonly Statement[]
  /** A role that `authenticator` must be allowed to switch to (42501, 22023); the statements do so themselves. */
  readonly requiredRole?: string
  /** The text of the slow statement. The batch may then share a session with other quick ones (`Engine`). */
  readonly timedBy?: string
}

export type Transaction = {
  query<R = Row>(statement: Statement): Promise<Result<R>>
}

export type Notification = {
  readonly channel: string
  readonly payload: string
  readonly processId?: number
}

/** The only access to Postgres; nothing above `database/` knows which engine runs below.
 *
 *  Values come back as pg-types parses them: int2/int4/oid/float as numbers, int8 and numeric as strings, timestamptz
 *  as Date, bytea as Buffer, json/jsonb and arrays parsed. Parameters may be null, strings, numbers, booleans, Dates,
 *  Buffers, arrays, and objects (sent as JSON).
 *
 *  @throws {DatabaseError} of the package `pg`, with SQLSTATE in `code`, `detail`, `hint`, `constraint` … */
export type Db = {
  /** Runs one statement in its own transaction, as the stack itself (all rights, no row security). */
  query<R = Row>(statement: Statement, options?: Pick<TransactionOptions, 'onSession'>): Promise<Result<R>>
  /** Encodes the statement that sets a transaction's settings, for reuse; null if there are none. */
  prepareSettings(options: Pick<TransactionOptions, 'settings' | 'access'>): Statement | null
  /** Runs several statements in one transaction and one exchange, with one result each. The fast path. */
  run(batch: Batch): Promise<Result[]>
  /** Runs an interactive transaction, rolled back when `work` throws. It holds PGlite's only session: keep it short. */
  transaction<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Runs a script by the simple protocol, as one implicit transaction, and delivers its notifications. */
  exec(script: string): Promise<void>
  /** Runs a script like a client logged in as this (non-superuser) role, outside any transaction, for example VACUUM.
   *  @returns the last statement's command and row count. */
  runAs(role: string, script: string): Promise<string>
  /** Calls `handler` for each NOTIFY on the channel until the returned function is called. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>
}

type Sender = Pick<Transaction, 'query'>
type Tag<T> = (...text: Parameters<typeof sql>) => Promise<T>

/** Returns a tag that runs one statement: `execute(tx)`delete from notes where id = ${id}``. Holes are as in `sql`. */
export const execute =
  <R = Row>(db: Sender): Tag<Result<R>> =>
  (...text) =>
    db.query<R>(sql(...text))

/** Like `execute`, with the rows alone. */
export const queryRows =
  <R = Row>(db: Sender): Tag<R[]> =>
  async (...text) =>
    (await db.query<R>(sql(...text))).rows

/** Like `execute`, with the first row alone; null if there is none. */
export const queryRow =
  <R = Row>(db: Sender): Tag<R | null> =>
  async (...text) =>
    (await db.query<R>(sql(...text))).rows[0] ?? null
