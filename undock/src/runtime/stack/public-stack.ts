import type { ContentPart } from '../../database/project/project-content.ts'
import type { EngineInUse } from '../../database/session.ts'
import type { AdjustableClock } from '../../kernel/adjustable-clock.ts'
import type { RequestTree } from '../../timeline/records.ts'
import type { Faults } from '../control/simulated-faults.ts'

/** A running backend, as the library exposes it. */
export type PublicStack = {
  readonly url: string
  readonly dbUrl: string
  readonly mailUrl: string | null
  /** The database's URL through `[db.pooler]`; null if off. */
  readonly poolerUrl: string | null
  /** The console's address; null if it isn't running. */
  readonly consoleUrl: string | null
  /** The engine in use, the reason and the alternative. */
  readonly engine: EngineInUse
  /** The services' clock. SQL statements use the machine's. */
  readonly clock: AdjustableClock
  readonly faults: Faults
  /** Returns the latest requests, each with what it caused; none if the timeline is off.
   *  @param time Milliseconds since the epoch; all requests by default. */
  requests(time?: number): RequestTree[]
  /** Reapplies migrations and seeds, or the given part, to an empty database while services stay up; files and emails
   *  are deleted. */
  reset(part?: ContentPart): Promise<void>
  /** Takes a snapshot of database, files and emails for `restore`. */
  snapshot(): Promise<StackSnapshot>
  restore(snapshot: StackSnapshot): Promise<void>
  /** Closes everything; can be called repeatedly.
   *  @throws {CloseError} if a part failed or timed out; all others are closed by then. */
  stop(): Promise<void>
}

/** A stack's data at one moment, restorable any number of times while it runs. */
export type StackSnapshot = {
  restore(): Promise<void>
  discard(): Promise<void>
}
