import type { Config } from '../config/config.ts'
import type { Db } from '../database/db.ts'
import type { EngineInUse } from '../database/session.ts'
import type { Identity } from '../identity/identity.ts'
import type { RecentLines } from '../kernel/log-lines.ts'
import type { MailTemplates } from '../kernel/mail-templates.ts'
import type { Clock, Log, RequestHandler, UpgradeHandler } from '../kernel/service.ts'
import type { ProjectSettings } from './settings.ts'

/** The project's properties for the console, with its keys. */
export type ProjectFacts = {
  readonly name: string
  readonly engine: EngineInUse
  readonly isLocal: boolean
  readonly urls: Readonly<Record<'api' | 'database' | 'mail' | 'pooler', string | null>>
  readonly keys: Identity['keys']
  readonly jwtSecret: string
  readonly schemas: readonly string[]
  readonly services: readonly string[]
  readonly startedAt: string
  readonly memory: { readonly total: number; readonly database: number | null }
}

export type ConsoleOptions = {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Runs `take` with the port, and reports a port in use. */
  claimPort<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T>
  readonly db: Db
  /** The database, as the project's owner. */
  readonly dbUrl: string
  /** The public address of the API. */
  readonly apiUrl: string
  readonly identity: Identity
  /** Whether undock runs the database. Another server's is only changed if the request allows it. */
  readonly isLocal: boolean
  /** The project's `supabase` folder. */
  readonly supabaseFolder: string
  readonly config: Config
  readonly settings: ProjectSettings
  facts(): Promise<ProjectFacts>
  /** Returns the handler for an API path; null if the stack has no such service. */
  handlerOf(path: string): RequestHandler | null
  /** Keeps the data for `undock undo` before a script deletes some, and returns what the user sees; null if it can't be kept. */
  readonly keepForUndo: ((command: string) => Promise<string>) | null
  /** The inbox; null if turned off. */
  readonly mail: RequestHandler | null
  /** Null without Auth. */
  readonly mailTemplates: MailTemplates | null
  /** Handles Realtime's sockets; null without Realtime. */
  readonly joinRealtime: UpgradeHandler | null
  /** The services' time. */
  readonly clock: Clock
  /** The built client's folder. */
  readonly folder: string
  /** The services' last log lines. */
  readonly recentLines: RecentLines
  readonly log: Log
}
