import type { Log } from '../kernel/service.ts'
import type { Db } from './db.ts'
import type { Migration } from './migrations/project-files.ts'
import type { ContentSource } from './project-content.ts'
import type { WireOptions } from './wire/listener.ts'

export type ProjectDatabaseOptions = ContentSource & {
  /** Which Postgres: the embedded one, the one that comes along as a program, or the one at this address. */
  readonly engine: 'pglite' | 'native' | { readonly url: string }
  /** Where the cluster is kept; null keeps it in memory, or where it ends with the stack. */
  readonly dataFolder: string | null
  /** A folder that ends with the stack. */
  readonly passingFolder: string
  readonly snapshotFolder: string
  readonly cacheFolder: string
  /** Milliseconds. */
  readonly statementLimit: number
  readonly waitLimit: number
  readonly wire: Pick<WireOptions, 'host' | 'idleInTransactionTimeout' | 'maxConnections'>
  /** Takes the port that clients of Postgres use. */
  claimPort<T>(take: (port: number) => Promise<T>): Promise<T>
  readonly log: Log
}

export type DatabaseSnapshot = {
  restore(): Promise<void>
  discard(): Promise<void>
}

export type ProjectDatabase = {
  readonly db: Db
  /** For clients of Postgres. */
  readonly url: string
  /** Where it came from: kept data, a prepared snapshot, or migrations and seed applied just now. */
  readonly origin: 'kept' | 'snapshot' | 'migrated'
  /** Migrations of the folder that kept data does not have; `supabase migration up` or a reset applies them. */
  readonly pending: readonly Migration[]
  /** Calls when the data may be other than it was, so that nobody goes on with what they knew. */
  onReopened(handler: () => void): () => void
  /** Migrations and seed again, from nothing, under the services that run.
   *  @throws {ScriptError} when one fails; the database is then as it was. */
  reset(): Promise<void>
  /** Bytes of this process that the engine uses; null for a server, which is a program of its own. */
  memory(): Promise<number | null>
  /** What the database holds now. */
  snapshot(): Promise<DatabaseSnapshot>
  close(): Promise<void>
}

/** The password of `supabase start`. */
export const DATABASE_PASSWORD = 'postgres'

/** The server that the settings name is not there, or lets nobody in. */
export class UnreachableServerError extends Error {
  override readonly name = 'UnreachableServerError'

  /** @param url May hold a password, which is not told. */
  constructor(url: string, cause: unknown) {
    const { host, pathname } = new URL(url)
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      `No session could be opened with the database at ${host}${pathname}: ${reason}\n` +
        'Start that server, or correct its address: --db-url, UNDOCK_DATABASE_URL, or database_url in supabase/undock.toml.',
      { cause },
    )
  }
}

/** The data of last time cannot be opened. It is left as it is. */
export class KeptDataError extends Error {
  override readonly name = 'KeptDataError'

  constructor(dataFolder: string, cause: unknown) {
    super(
      `The database kept in ${dataFolder} cannot be opened: ${cause instanceof Error ? cause.message : cause}\n` +
        'It may come from another version of undock. `undock reset` begins anew from migrations and seed; to keep the old data, move that folder away first.',
      { cause },
    )
  }
}
