import type { Clock, Log } from '../../kernel/service.ts'
import type { Db } from '../db.ts'

/** What pg_cron and pg_net run in processes of their own on a server. */
export type ExtensionWorker = {
  /** Something changed in the tables that it works from. */
  look(): void
  close(): Promise<void>
}

export type ExtensionWorkersOptions = {
  readonly db: Db
  readonly clock: Clock & { onAdjust?(handler: () => void): () => void }
  readonly log: Log
  /** Where a request to this URL really goes. */
  readonly route: (url: URL) => URL
  /** Whether other nodes run the jobs of the same database: each job that is due is then claimed first. */
  readonly isShared: boolean
}
