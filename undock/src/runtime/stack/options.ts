import type { ConfigWarning } from '../../config/fault.ts'
import type { DataFormat } from '../../database/project/kept-data.ts'
import type { OpeningEvent } from '../../database/project/project-content.ts'
import type { FollowedBranch } from '../branches/follow-git.ts'
import type { AssignedPorts } from '../place/port-assignment.ts'
import type { PublicStackOptions } from './public-options.ts'

export type StackEvent =
  | OpeningEvent
  | { readonly kind: 'warning'; readonly warning: ConfigWarning }
  | { readonly kind: 'fetching-deno' }
  | { readonly kind: 'unlisted'; readonly reason: string }
  | { readonly kind: 'other-ports'; readonly assigned: AssignedPorts }
  | { readonly kind: 'console-port'; readonly port: number; readonly reason: string }
  | { readonly kind: 'branch'; readonly branch: FollowedBranch }

export type StackOptions = PublicStackOptions & {
  /** With the state in memory: the folder of a kept state that no process uses. The database begins as a copy of it. */
  readonly from?: string
  /** Stops this stack, runs the work and starts the stack again, for changes that give it another state. Without it such changes
   *  are refused. */
  readonly restart?: (work: () => Promise<void>) => void
  readonly tell?: (event: StackEvent) => void
  /** Gives up a start while the project's scripts run. */
  readonly aborted?: AbortSignal
}

/** The engine of a stack whose database is of a format. */
export const engineOf = (format: DataFormat): Pick<StackOptions, 'engine' | 'env'> =>
  format === 'pglite'
    ? { engine: 'pglite' }
    : { engine: 'native', env: { ...process.env, SUPABASE_DB_MAJOR_VERSION: String(format) } }
