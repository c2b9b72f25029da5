import type { Clock, Log } from '../../kernel/service.ts'
import type { Db } from '../db.ts'

export type ExtensionWorker = {
  look(): void
  close(): Promise<void>
}

export type ExtensionWorkersOptions = {
  readonly db: Db
  readonly clock: Clock & { onAdjust?(handler: () => void): () => void }
  readonly log: Log
  readonly route: (url: URL) => URL
  /** Whether other nodes run the same database's jobs: due jobs are then claimed first. */
  readonly isShared: boolean
}
