import type { Statement } from '../kernel/sql.ts'

/** Settings for one transaction, made as by `set_config(name, value, true)`: `role`, `request.jwt.claims`, `search_path`,
 *  `statement_timeout` … The `role` is set in a session of `authenticator`, so only roles that were granted to it are allowed:
 *  others are refused with 42501, unknown ones with 22023. The stack's own work names its user by `session_authorization`. */
export type Settings = Readonly<Record<string, string>>

export type Row = Record<string, unknown>

export type Result<R = Row> = {
  readonly rows: R[]
  /** Rows returned or affected, as counted by the command tag. */
  readonly rowCount: number
  /** The command tag's first word: SELECT, INSERT, UPDATE, … */
  readonly command: string
}

export type TransactionOptions = {
  readonly settings?: Settings
  /** What `prepareSettings` made of the same settings and access. */
  readonly preparedSettings?: Statement | null
  readonly access?: 'read only' | 'read write'
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** A session of its own, authenticated as the user that `session_authorization` names, which ends with the transaction: so do the
   *  locks and settings that belong to sessions. */
  readonly hasOwnSession?: boolean
  /** Who the work is for: each caller has only a part of the sessions. Left out by the stack's own work. */
  readonly caller?: string
  /** 'rollback' runs everything and keeps nothing (PostgREST's `Prefer: tx=rollback`). */
  readonly end?: 'commit' | 'rollback'
  /** Called when the work has got its session: before that it waits for other callers. */
  readonly onSession?: () => void
}

/** Statements that run in one transaction and are sent to the engine in one exchange. */
export type Batch = TransactionOptions & {
  readonly statements: readonly Statement[]
  /** A role that `authenticator` must be allowed to take; otherwise nothing runs (42501, 22023). The statements themselves still
   *  run as before: they take the role themselves. */
  readonly requiredRole?: string
  /** The text of the statement that takes the time. The batch may then share a session with other quick ones (`Engine`). */
  readonly timedBy?: string
}

export type Transaction = {
  query<R = Row>(statement: Statement): Promise<Result<R>>
}

export type Notification = {
  readonly channel: string
  readonly payload: string
  /** The process id of the session that sent it. */
  readonly processId?: number
}

/** The only access to Postgres; nothing above `database/` knows which engine runs below.
 *
 *  Values come back as pg-types parses them: int2/int4/oid/float as numbers, int8 and numeric as strings,
 *  bool as booleans, json/jsonb parsed, timestamptz as Date, bytea as Buffer, arrays as arrays.
 *  Parameters may be null, strings, numbers, booleans, Dates, Buffers, arrays, and objects (sent as JSON).
 *
 *  @throws {DatabaseError} of the package `pg`, with SQLSTATE in `code`, `detail`, `hint`, `constraint` … */
export type Db = {
  /** One statement in a transaction of its own, as the stack itself (all rights, no row security). */
  query<R = Row>(statement: Statement, options?: Pick<TransactionOptions, 'onSession'>): Promise<Result<R>>
  /** Writes and encodes the statement that makes the settings of a transaction, for a caller who makes the same ones again.
   *  @returns null when there are none. */
  prepareSettings(options: Pick<TransactionOptions, 'settings' | 'access'>): Statement | null
  /** Several statements in one transaction and one exchange, with one result for each. The fast path. */
  run(batch: Batch): Promise<Result[]>
  /** An interactive transaction. On PGlite it holds the only session: keep it short and await nothing but the database in it.
   *  Rolls back when `work` throws. */
  transaction<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** A script of several statements by the simple protocol, as one implicit transaction. When it resolves, its notifications
   *  have been delivered. */
  exec(script: string): Promise<void>
  /** Runs a script as a client that logged in as this role would, outside any transaction: VACUUM and procedures that commit
   *  work. The role must not be a superuser.
   *  @returns the last statement's command and number of rows. */
  runAs(role: string, script: string): Promise<string>
  /** Calls `handler` for each NOTIFY on the channel until the returned function is called. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>
}
