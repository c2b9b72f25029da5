import type { Notification } from './db.ts'
import type { PreparedStatements } from './protocol/prepared-statements.ts'

/** A session of Postgres, used by one caller at a time. */
export type Session = {
  /** Sends frontend messages (the last one a Sync or a simple Query) and returns the complete response.
   *  @throws 57P01 when the session was lost meanwhile. */
  exchange(bytes: Uint8Array): Promise<Uint8Array>
  /** The statements that are prepared in this session. */
  readonly prepared: PreparedStatements
}

export type ExchangeOptions = {
  /** The user that the session is authenticated as, one of the platform's login roles: work that runs functions of the project
   *  names one, so that nothing in them can become a superuser. Without it the user is the stack itself. On a server given by its
   *  URL it is always the user of the URL. */
  readonly user?: string | undefined
  /** The text whose time is that of the exchange: where that is short, other exchanges may follow in the same session before this
   *  one is answered. Without it they may not. */
  readonly timedBy?: string | undefined
}

/** An engine, to everything built on it, is a source of sessions; each caller finds its session in the state of a new connection. */
export type Engine = {
  /** Whether its sessions may use SET SESSION AUTHORIZATION, as sessions of a superuser may. */
  readonly isSuperuser: boolean
  /** How much of its work one caller may have under way. */
  readonly callerShare: number
  /** Milliseconds that work waits for a session. */
  readonly waitLimit: number
  /** Lends a session for exactly one exchange, which must not leave a transaction open.
   *  @throws 55P03 when no session is free in time. */
  exchangeOnce<T>(work: (session: Session) => Promise<T>, options: ExchangeOptions): Promise<T>
  /** Lends a session for several exchanges, without other callers' exchanges in between. */
  withSession<T>(work: (session: Session) => Promise<T>, user?: string): Promise<T>
  /** Lends a session of another user, authenticated as that user where the engine can do that, so that the work cannot gain more
   *  rights. Settings and transactions that the work leaves open end with it.
   *  @throws 22023 when the role does not exist, 28000 when it is a superuser. */
  withSessionOf<T>(user: string, work: (session: Session) => Promise<T>): Promise<T>
  /** Lends a session of the user that runs the project's scripts, without a limit on the duration of statements. */
  withProjectSession<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Runs LISTEN or UNLISTEN in the session that receives notifications. */
  runListen(script: string): Promise<void>
  /** Resolves when all earlier notifications have been passed to the handlers. */
  flushNotifications(): Promise<void>
  onNotification(handler: (notification: Notification) => void): () => void
  /** Calls handlers, one after another, when the engine was reopened: LISTEN and some notifications may be lost, or the data was
   *  replaced. */
  onReopened(handler: () => void | Promise<void>): () => void
  close(): Promise<void>
}
