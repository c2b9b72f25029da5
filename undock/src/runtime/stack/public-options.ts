import type { LogLine } from '../../kernel/log-lines.ts'
import type { ServiceName } from './service-names.ts'

/** The options of `undock start` that the library takes too. */
export type PublicStackOptions = {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** A further backend of the project, with state and ports of its own. Null is the default backend. */
  readonly name?: string | null
  /** 'config' takes the ports of config.toml, and for a named backend those of its first start, which are free ones;
   *  'free' takes whichever are free. */
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`, 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  readonly exclude?: readonly ServiceName[]
  /** Starts the console, unless config.toml turns it off. */
  readonly console?: boolean
  /** Another Postgres than undock.toml says: an engine's name, or an address. */
  readonly engine?: 'auto' | 'pglite' | 'native' | { readonly url: string }
  /** Instead of the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Gets each line that a service logs. */
  readonly show?: (line: LogLine) => void
}
