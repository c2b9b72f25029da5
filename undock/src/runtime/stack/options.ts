import type { Fault } from '../../config/fault.ts'
import type { DataFormat } from '../../database/project/kept-data.ts'
import type { OpeningEvent } from '../../database/project/project-content.ts'
import type { LogLine } from '../../kernel/log-lines.ts'
import type { FollowedBranch } from '../branches/follow-git.ts'
import type { AssignedPorts } from '../place/port-assignment.ts'

export type StackEvent =
  | OpeningEvent
  | { readonly kind: 'warning'; readonly warning: Fault }
  | { readonly kind: 'fetching-deno' }
  | { readonly kind: 'unlisted'; readonly reason: string }
  | { readonly kind: 'other-ports'; readonly assigned: AssignedPorts }
  | { readonly kind: 'console-port'; readonly port: number; readonly reason: string }
  | { readonly kind: 'branch'; readonly branch: FollowedBranch }

export type StackOptions = PublicStackOptions & {
  /** With in-memory state: copies the state that the stack begins with to a folder. */
  readonly from?: (folder: string) => Promise<void>
  /** Stops the stack, runs the work and restarts it, for changes that replace the state. Without it they're refused. */
  readonly restart?: (work: () => Promise<void>) => void
  /** Starts another backend of the project in the background. Without it, `/undock/v1/forks` refuses. */
  readonly startOther?: (name: string) => Promise<void>
  /** Whether pg_cron's jobs run and pg_net sends requests, as by default. */
  readonly runsJobs?: boolean
  readonly tell?: (event: StackEvent) => void
  /** Cancels a start while the project's scripts run. */
  readonly aborted?: AbortSignal
}

/** Returns the engine for a data format. */
export const engineOf = (format: DataFormat): Pick<StackOptions, 'engine' | 'env'> =>
  format === 'pglite'
    ? { engine: 'pglite' }
    : { engine: 'native', env: { ...process.env, SUPABASE_DB_MAJOR_VERSION: String(format) } }

/** The options shared by `undock start` and the library. */
export type PublicStackOptions = {
  /** The folder containing `supabase/`. */
  readonly workdir: string
  /** A named backend with its own state and ports. Null for the default backend. */
  readonly name?: string | null
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`; 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  readonly exclude?: readonly ServiceName[]
  /** Starts the console unless config.toml turns it off. */
  readonly console?: boolean
  /** Overrides undock.toml's engine, by name or connection URL. */
  readonly engine?: 'auto' | 'pglite' | 'native' | { readonly url: string }
  /** Replaces this process's variables. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly show?: (line: LogLine) => void
}

export type ServiceName = 'rest' | 'auth' | 'storage' | 'realtime' | 'functions' | 'pg' | 'mcp' | 'mail'

/** Services that can be excluded. */
export const SERVICES = [
  'rest',
  'auth',
  'storage',
  'realtime',
  'functions',
  'pg',
  'mcp',
  'mail',
] as const satisfies readonly ServiceName[]
