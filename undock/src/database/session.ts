import type { Notification } from './db.ts'
import type { PreparedStatements } from './engine/prepared.ts'

/** A session of Postgres, lent to one holder at a time. */
export type Session = {
  /** Sends frontend messages (the last one a Sync or a simple Query) and returns all that came back.
   *  @throws 57P01 when the session was lost meanwhile. */
  exchange(bytes: Uint8Array): Promise<Uint8Array>
  /** @returns whether the exchange sent last has begun to run; false holds at the moment it is returned. */
  progress(): () => boolean
  /** What this session holds prepared. */
  readonly prepared: PreparedStatements
}

/** What an engine is to everything that stands on it: it lends sessions. The embedded one has a single session, a
 *  server has many; each holder finds its session as a new connection would. */
export type Engine = {
  /** One exchange that leaves no transaction behind; `work` sends exactly one.
   *  @throws 55P03 when the turn does not come in time. */
  pass<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Several exchanges in one session, with nobody else's in between. */
  exclusive<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** The same as the project's user, whom its scripts are run as, without a limit on how long a statement may run;
   *  whatever the work sets or leaves open ends with it. */
  administer<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Runs LISTEN and UNLISTEN in the session whose notifications are heard. */
  attend(script: string): Promise<void>
  /** Resolves when all that was notified before has been told to the handlers. */
  heard(): Promise<void>
  onNotification(handler: (notification: Notification) => void): () => void
  /** Called after LISTEN was lost, and with it notifications that nobody heard; and after the data was replaced; one
   *  handler after another, in their order. */
  onReopened(handler: () => void | Promise<void>): () => void
  close(): Promise<void>
}
