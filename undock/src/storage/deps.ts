import type { Config } from '../config/config.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Log } from '../kernel/service.ts'
import type { LazyService } from './http/lazy-service.ts'
import type { ContentStore } from './objects/content.ts'
import type { UrlSigner } from './signing/signatures.ts'

/** What every operation of storage works with. */
export type StorageDeps = {
  readonly db: Db
  readonly content: ContentStore
  readonly signer: UrlSigner
  readonly identity: Identity
  readonly config: Config['storage']
  readonly clock: Clock
  readonly log: Log
  readonly resumable: LazyService
  /** Null when it is turned off. */
  readonly s3: LazyService | null
}
