import type { Duplex } from 'node:stream'
import type { Log } from '../../kernel/service.ts'
import { UserError } from '../../kernel/service-error.ts'
import type { Certificate } from '../../platform/certificate.ts'
import type { Db } from '../db.ts'
import type { Migration } from '../migrations/project-files.ts'
import type { EngineInUse, RunningEngine } from '../session.ts'
import type { ContentPart, ContentSource } from './project-content.ts'

export type ProjectDatabaseOptions = ContentSource & {
  /** PGlite, a native server that undock starts, whichever suits the project (`auto`), or the server at this URL. */
  readonly engine: 'auto' | 'pglite' | 'native' | { readonly url: string }
  /** Folder of the cluster; null for data that ends with the stack. */
  readonly dataFolder: string | null
  /** Whether acknowledged writes survive a power cut, for a native server's persistent data. */
  readonly isDurable: boolean
  /** Removed with the stack. */
  readonly ephemeralFolder: string
  readonly snapshotFolder: string
  readonly cacheFolder: string
  readonly statementLimit: number
  readonly waitLimit: number
  readonly host: string
  /** Served to clients of the database port that ask for TLS. */
  certificate(): Promise<Certificate>
  claimPort<T>(take: (port: number) => Promise<T>): Promise<T>
  readonly log: Log
}

export type DatabaseSnapshot = {
  restore(): Promise<void>
  discard(): Promise<void>
}

export type ProjectDatabase = OpenedDatabase & { readonly engineInUse: EngineInUse }

export type OpenedDatabase = {
  readonly db: Db
  readonly engine: RunningEngine
  /** URL for Postgres clients; PGlite refuses them with a reason. */
  readonly url: string
  /** Connects node-postgres as a user to a database without a port. */
  readonly connect?: (user: string) => Duplex
  /** Whether the data was kept, came from a snapshot, or was just migrated and seeded. */
  readonly origin: 'kept' | 'snapshot' | 'migrated'
  /** Calls the handler when the data may have been replaced, so that caches can be discarded. */
  onReopened(handler: () => void): () => void
  /** Recreates the data from migrations and seed while the services run.
   *  @throws {ScriptError | UnknownVersionError} The database is then unchanged. */
  reset(part?: ContentPart): Promise<void>
  /** Applies the missing migrations, each in its own transaction, and returns them.
   *  @throws {ScriptError} at the first failing one; earlier ones stay. */
  migrate(): Promise<Migration[]>
  /** Bytes of this process used by the engine; null for a server, which is another process. */
  memory(): Promise<number | null>
  snapshot(): Promise<DatabaseSnapshot>
  /** Copies the current state, and other engines' data, to another data folder while sessions continue. Null for a
   *  server that undock didn't start. */
  readonly copyTo: ((dataFolder: string) => Promise<void>) | null
  close(): Promise<void>
}

export const DATABASE_PASSWORD = 'postgres'

/** Thrown if the server at `database_url` can't be reached or refuses the login. */
export class UnreachableServerError extends UserError {
  /** @param url May contain a password, which the message omits. */
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

export class KeptDataError extends UserError {
  constructor(dataFolder: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      /No space left on device/.test(reason)
        ? `The database kept in ${dataFolder} cannot be opened, because the disk is full: free some space and start again. Nothing is lost.`
        : `The database kept in ${dataFolder} cannot be opened: ${reason}\n` +
            'Its data is unchanged. It may come from another version of undock: start it with that version, or copy the folder before anything else. `undock reset` deletes the data and starts over with migrations and seed; `undock undo` restores it.',
      { cause },
    )
  }
}
