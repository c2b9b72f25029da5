import type { ContentPart } from '../../database/project/content-part.ts'
import type { EngineInUse } from '../../database/project/engine-in-use.ts'
import type { AdjustableClock } from '../../kernel/adjustable-clock.ts'
import type { RequestTree } from '../../timeline/records.ts'
import type { Faults } from '../control/simulated-faults.ts'

/** What the library shows of a running backend. */
export type PublicStack = {
  readonly url: string
  readonly dbUrl: string
  readonly mailUrl: string | null
  /** The database's address through `[db.pooler]`; null when that is off. */
  readonly poolerUrl: string | null
  /** The console's address; null when it does not run. */
  readonly consoleUrl: string | null
  /** Which engine runs the database, why, and what would change that. */
  readonly engine: EngineInUse
  /** The time that all services go by. Statements of SQL go by the machine's. */
  readonly clock: AdjustableClock
  readonly faults: Faults
  /** The last requests since a time, each with what it caused; none when the timeline is off.
   *  @param time Milliseconds since the epoch; all that are kept unless it is given. */
  requests(time?: number): RequestTree[]
  /** Migrations and seed again, or the named part of them, from nothing, while the services stay up; files and mails go. */
  reset(part?: ContentPart): Promise<void>
  /** What database, files and mails hold now, for `restore`. */
  snapshot(): Promise<StackSnapshot>
  restore(snapshot: StackSnapshot): Promise<void>
  /** Closes everything, however often it is called.
   *  @throws {CloseError} when a part failed or did not end in time; all others are closed then. */
  stop(): Promise<void>
}

/** A stack's data at one moment. It can be restored any number of times while the stack runs. */
export type StackSnapshot = {
  restore(): Promise<void>
  /** Deletes the snapshot. */
  discard(): Promise<void>
}
