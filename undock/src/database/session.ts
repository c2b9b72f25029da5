import type { Notification } from './db.ts'
import type { PreparedStatements } from './protocol/prepared-statements.ts'

export type Session = {
  /** Sends frontend messages (the last one a Sync or a simple Query) and returns the complete response.
   *  @throws 57P01 if the session is lost. */
  exchange(bytes: Uint8Array): Promise<Uint8Array>
  readonly prepared: PreparedStatements
}

export type ExchangeOptions = {
  /** The session's user, one of the platform's login roles (or always the URL's user). Work that runs the project's
   *  functions names one, so that they can't become a superuser. Defaults to the stack itself. */
  readonly user?: string | undefined
  /** The slow statement's text: while it's known to be quick, other exchanges may share the session before its answer. */
  readonly timedBy?: string | undefined
}

/** A source of sessions, each in the state of a new connection. */
export type Engine = {
  readonly isSuperuser: boolean
  /** How much of one caller's work may be in progress. */
  readonly callerShare: number
  /** Milliseconds that work waits for a session. */
  readonly waitLimit: number
  /** Lends a session for exactly one exchange, which must not leave a transaction open.
   *  @throws 55P03 if no session is free in time. */
  exchangeOnce<T>(work: (session: Session) => Promise<T>, options: ExchangeOptions): Promise<T>
  /** Lends a session for several exchanges, without other callers' in between. */
  withSession<T>(work: (session: Session) => Promise<T>, user?: string): Promise<T>
  /** Lends another user's session, authenticated as that user where possible, so that the work can't gain rights.
   *  @throws 22023 if the role doesn't exist, 28000 if it's a superuser. */
  withSessionOf<T>(user: string, work: (session: Session) => Promise<T>): Promise<T>
  /** Lends a session of the user that runs the project's scripts, without a statement limit. */
  withProjectSession<T>(work: (session: Session) => Promise<T>): Promise<T>
  runListen(script: string): Promise<void>
  /** Resolves when all earlier notifications have reached the handlers. */
  flushNotifications(): Promise<void>
  onNotification(handler: (notification: Notification) => void): () => void
  /** Calls handlers in sequence when the engine was reopened: notifications may be lost, or the data replaced. */
  onReopened(handler: () => void | Promise<void>): () => void
  close(): Promise<void>
}

/** `server` is one that undock didn't start. */
export type RunningEngine = 'pglite' | 'native' | 'server'

export type EngineInUse = {
  readonly kind: RunningEngine
  readonly title: string
  /** Completes the sentence "… runs the database, because …". */
  readonly reason: string
  /** How to get the native engine instead; null if nothing is missing. */
  readonly remedy: string | null
}
