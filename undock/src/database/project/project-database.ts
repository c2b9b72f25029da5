import type { Log } from '../../kernel/service.ts'
import type { Certificate } from '../../platform/certificate.ts'
import type { Db } from '../db.ts'
import type { Migration } from '../migrations/project-files.ts'
import type { ContentPart } from './content-part.ts'
import type { EngineInUse, RunningEngine } from './engine-in-use.ts'
import type { ContentSource } from './project-content.ts'

export type ProjectDatabaseOptions = ContentSource & {
  /** The Postgres to use: PGlite, the native server that undock starts, whichever suits the project (`auto`), or a server at
   *  this URL. */
  readonly engine: 'auto' | 'pglite' | 'native' | { readonly url: string }
  /** The folder that keeps the cluster; null for data that ends with the stack. */
  readonly dataFolder: string | null
  /** Whether acknowledged writes survive a power cut, for data that a native server keeps. */
  readonly isDurable: boolean
  /** A folder that is removed with the stack. */
  readonly ephemeralFolder: string
  readonly snapshotFolder: string
  readonly cacheFolder: string
  /** Milliseconds. */
  readonly statementLimit: number
  readonly waitLimit: number
  /** Where the database port is. */
  readonly host: string
  /** What clients of the database port that ask for TLS are served with. */
  certificate(): Promise<Certificate>
  /** Takes the port for clients of Postgres. */
  claimPort<T>(take: (port: number) => Promise<T>): Promise<T>
  readonly log: Log
}

export type DatabaseSnapshot = {
  restore(): Promise<void>
  discard(): Promise<void>
}

export type ProjectDatabase = OpenedDatabase & { readonly engineInUse: EngineInUse }

/** What each engine opens. */
export type OpenedDatabase = {
  readonly db: Db
  readonly engine: RunningEngine
  /** The URL for clients of Postgres; PGlite refuses them with a reason. */
  readonly url: string
  /** Where the data came from: kept data, a prepared snapshot, or migrations and seed applied just now. */
  readonly origin: 'kept' | 'snapshot' | 'migrated'
  /** Calls the handler when the data may have been replaced, so that caches of it can be discarded. */
  onReopened(handler: () => void): () => void
  /** Creates the data again from migrations and seed, while the services run.
   *  @throws {ScriptError | UnknownVersionError} when a script fails or is missing; the database is then unchanged. */
  reset(part?: ContentPart): Promise<void>
  /** Applies the migrations that the data lacks, each in a transaction of its own.
   *  @returns those.
   *  @throws {ScriptError} at the first one that fails; those before it stay. */
  migrate(): Promise<Migration[]>
  /** The bytes of this process that the engine uses; null for a server, which is another process. */
  memory(): Promise<number | null>
  /** Copies the current state of the database. */
  snapshot(): Promise<DatabaseSnapshot>
  /** Copies the current state, and data that other engines keep, as the kept data of another folder, while sessions continue working.
   *  Null for a server that undock did not start, and for data that is not kept. */
  readonly copyTo: ((dataFolder: string) => Promise<void>) | null
  close(): Promise<void>
}

/** The password of `supabase start`. */
export const DATABASE_PASSWORD = 'postgres'

/** The server at `database_url` cannot be reached, or refuses the login. */
export class UnreachableServerError extends Error {
  override readonly name = 'UnreachableServerError'

  /** @param url May contain a password, which the message leaves out. */
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

/** The kept data cannot be opened. It is left unchanged. */
export class KeptDataError extends Error {
  override readonly name = 'KeptDataError'

  constructor(dataFolder: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      /No space left on device/.test(reason)
        ? `The database kept in ${dataFolder} cannot be opened, because the disk is full: free some space and start again. Nothing is lost.`
        : `The database kept in ${dataFolder} cannot be opened: ${reason}\n` +
            'Its data is unchanged. It may come from another version of undock: start it with that version, or copy the folder before anything else. `undock reset` deletes the data and begins again with migrations and seed.',
      { cause },
    )
  }
}
