import type { Env } from '../../config/env.ts'
import type { ConfigWarning } from '../../config/fault.ts'
import type { DataFormat } from '../../database/project/kept-data.ts'
import type { OpeningEvent } from '../../database/project/project-content.ts'
import type { FollowedBranch } from '../branches/follow-git.ts'
import type { AssignedPorts } from '../place/port-assignment.ts'
import type { LogLine } from './log-files.ts'
import type { ServiceName } from './service-names.ts'

export type StackEvent =
  | OpeningEvent
  | { readonly kind: 'warning'; readonly warning: ConfigWarning }
  | { readonly kind: 'fetching-deno' }
  | { readonly kind: 'unlisted'; readonly reason: string }
  | { readonly kind: 'other-ports'; readonly assigned: AssignedPorts }
  | { readonly kind: 'console-port'; readonly port: number; readonly reason: string }
  | { readonly kind: 'branch'; readonly branch: FollowedBranch }

export type StackOptions = {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** A further backend of the project, with state and ports of its own. Null is the default backend. */
  readonly name?: string | null
  /** 'config' takes the ports of config.toml, and for a named backend those of its first start, which are free ones;
   *  'free' takes whichever are free. */
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`, 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  /** With the state in memory: the folder of a kept state that no process uses. The database begins as a copy of it. */
  readonly from?: string
  /** Stops this stack, runs the work and starts the stack again, for changes that give it another state. Without it such changes
   *  are refused. */
  readonly restart?: (work: () => Promise<void>) => void
  readonly exclude?: readonly ServiceName[]
  /** Starts the console, unless config.toml turns it off. */
  readonly console?: boolean
  /** Another Postgres than undock.toml says: an engine's name, or an address. */
  readonly engine?: 'auto' | 'pglite' | 'native' | { readonly url: string }
  readonly env?: Env
  readonly tell?: (event: StackEvent) => void
  readonly show?: (line: LogLine) => void
}

/** The engine of a stack whose database is of a format. */
export const engineOf = (format: DataFormat): Pick<StackOptions, 'engine' | 'env'> =>
  format === 'pglite'
    ? { engine: 'pglite' }
    : { engine: 'native', env: { ...process.env, SUPABASE_DB_MAJOR_VERSION: String(format) } }
