import type { Clock, Log } from '../../kernel/service.ts'
import type { Db } from '../db.ts'

export type ExtensionWorker = {
  look(): void
  readonly activity: WorkerActivity
  close(): Promise<void>
}

/** @property running Jobs and requests that run now. @property total Those that ever ran.
 *  @property due When the next one is due; null if none is planned. */
export type WorkerActivity = { readonly running: number; readonly total: number; readonly due: Date | null }

export type ExtensionWorkersOptions = {
  readonly db: Db
  readonly clock: Clock & { onAdjust?(handler: () => void): () => void }
  readonly log: Log
  readonly route: (url: URL) => URL
  /** Whether other nodes run the same database's jobs: due jobs are then claimed first. */
  readonly isShared: boolean
  /** Whether nothing is run or sent, because the database is a copy. */
  readonly isPaused?: boolean
  /** The time since which the backend was asleep: jobs that were due run once. Null after a stop, as in pg_cron. */
  readonly asleepSince?: Date | null
}
