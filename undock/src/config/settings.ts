import { z } from 'zod'
import { type DeepReadonly, deepFreeze } from './config.ts'
import { ConfigError } from './fault.ts'
import { readToml, type TomlSource } from './read-toml.ts'
import { choice, count, duration, optionalText, table, text } from './schema/fields.ts'

const SettingsSchema = z.strictObject({
  engine: choice(['pglite'], 'pglite'),
  /** An existing Postgres to run on; refused until there is an engine for it. */
  database_url: optionalText(),
  /** The address every port listens on. */
  host: text('127.0.0.1'),
  /** What `create extension` does for one that the engine cannot load. */
  missing_extensions: choice(['error'], 'error'),
  limits: table({
    /** Seconds a statement may wait and run before its caller is told it was cancelled. Zero is no limit. */
    statement_timeout: duration(60),
    /** Seconds a client on the Postgres wire may sit in an open transaction, which holds the only session. */
    idle_in_transaction_timeout: duration(60),
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
  if (data.database_url !== undefined)
    throw new ConfigError([fault(['database_url'], 'is not there yet: undock runs on its embedded Postgres only')])
  return deepFreeze(data)
}
