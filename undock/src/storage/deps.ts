import type { Config } from '../config/config.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Log } from '../kernel/service.ts'
import type { Contents } from './files/contents.ts'
import type { Files } from './files/open-files.ts'
import type { LazyService } from './http/lazy-service.ts'
import type { Credentials } from './s3/signer.ts'
import type { UrlSigner } from './signing/signatures.ts'

export type StorageDeps = {
  /** With the project's rights, because triggers and defaults on these tables are the project's. */
  readonly db: Db
  /** As the stack itself, for tables that no project can reach. */
  readonly system: Db
  readonly content: Contents
  /** Everything stored outside the database, including `content`. */
  readonly files: Files
  readonly signer: UrlSigner
  readonly identity: Identity
  readonly config: Config['storage']
  readonly credentials: Credentials
  readonly clock: Clock
  readonly log: Log
  readonly resumable: LazyService
  readonly s3: LazyService | null
}
