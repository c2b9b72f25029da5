import type { LogLine } from '../../kernel/log-lines.ts'
import type { ServiceName } from './service-names.ts'

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
