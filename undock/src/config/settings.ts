import { z } from 'zod'
import { type DeepReadonly, deepFreeze } from './config.ts'
import { ConfigError } from './fault.ts'
import { readToml, type TomlSource } from './read-toml.ts'
import { choice, count, flag, list, optionalText, port, size, table, text, undockDuration } from './schema/fields.ts'

const MIB = 1024 * 1024

export const SettingsSchema = z.strictObject({
  /** PostgreSQL's own programs (native), PostgreSQL in WebAssembly (PGlite), or native where it runs and has the
   *  project's extensions, otherwise PGlite (auto). */
  engine: choice(['auto', 'native', 'pglite'], 'auto'),
  /** URL of an existing Postgres, 15 or newer, to use instead. */
  database_url: optionalText(),
  /** Whether each commit waits for the disk, so that acknowledged writes survive a power cut. The native engine always does. */
  durable: flag(false),
  /** The address that all ports listen on. */
  host: text('127.0.0.1'),
  /** Origins of pages on other machines that may use secret keys and undock's own routes. */
  allowed_origins: list(),
  /** Whether a start uses the data of git's checked-out branch (git) or of the last `undock branch switch` (manual). */
  branches: choice(['manual', 'git'], 'manual'),
  /** What `create extension` does if the engine lacks the extension. */
  missing_extensions: choice(['error', 'warn'], 'error'),
  /** Whether row security errors and empty Data API responses say why, to clients of this machine. */
  explain: flag(false),
  realtime: table({
    /** Whether public channels are refused, like with "Allow public access" disabled in a hosted project. */
    private_only: flag(false),
  }),
  timeline: table({
    /** Whether the last requests are kept in memory, each with what it caused (`undock requests`). */
    enabled: flag(true),
    /** The number of requests kept. Of more than 1,000 a second, only the first ones and failed ones are recorded. */
    requests: count(1_000),
    /** Whether to keep JSON and form bodies too, without passwords, tokens and keys (`undock requests replay`). */
    bodies: flag(false),
    /** An OpenTelemetry collector for each request (OTLP over HTTP); OTEL_EXPORTER_OTLP_ENDPOINT by default. */
    otlp: optionalText(),
  }),
  import: table({
    /** Columns, as schema.table.column, that `undock import --anonymize` replaces in addition to those it finds. */
    anonymize: list(),
    /** Columns that it keeps. */
    keep: list(),
  }),
  /** A node of `undock serve`, which has no database, files or defaults of its own. */
  serve: table({
    /** The API's port, and that of health, readiness and metrics, which isn't for clients. */
    port: port(8000),
    admin_port: port(9000),
    /** Processes that share the port; 0 for one per core, up to four. */
    workers: count(0),
    /** URL of a transaction-mode pooler (PgBouncer 1.21 or newer); `database_url` is then for LISTEN and migrations. */
    pooler_url: optionalText(),
    /** URL of a streaming replica for Data API reads, as far as it's up to date. */
    replica_url: optionalText(),
    /** Addresses and ranges (10.0.0.0/8) of load balancers, whose `X-Forwarded-For` names the client. */
    trusted_proxies: list(),
    /** Seconds from the termination signal until new connections are refused, for load balancers to notice. */
    drain_delay: undockDuration(5),
    /** Seconds that requests may then take to end. */
    drain_limit: undockDuration(30),
    /** Transport between nodes: the database itself (postgres), or the URL of a NATS server. */
    bus: text('postgres'),
    /** Where edge functions run, such as http://functions.internal:9000, if not next to the node. */
    functions_endpoint: optionalText(),
    /** The store of files' contents. */
    s3: table({
      /** Amazon's own by default. */
      endpoint: optionalText(),
      region: text('us-east-1'),
      bucket: optionalText(),
      /** Prefix of all contents' names. */
      prefix: text(''),
      access_key_id: optionalText(),
      secret_access_key: optionalText(),
      force_path_style: flag(true),
    }),
    /** Keys of Storage's own S3 protocol, which acts as the service role; disabled without them. */
    s3_protocol: table({ access_key: optionalText(), secret_key: optionalText(), region: text('local') }),
  }),
  limits: table({
    /** Seconds that a service's statement may wait and run (0: no limit). Database clients have their role's limit. */
    statement_timeout: undockDuration(60),
    /** Bytes of a request's body to the Data API, and to an edge function. */
    rest_body: size(100 * MIB),
    functions_body: size(100 * MIB),
  }),
})

/** undock's own settings, from supabase/undock.toml; durations are in seconds. */
export type UndockSettings = DeepReadonly<z.infer<typeof SettingsSchema>>

/** Reads undock.toml. Variables such as `UNDOCK_DATABASE_URL` override it.
 *  @throws {ConfigError} that lists every fault. */
export function loadSettings(source: TomlSource): UndockSettings {
  const { data, faults, ignored, fault } = readToml(SettingsSchema, 'UNDOCK', source)
  if (data === undefined || ignored.length > 0) throw new ConfigError([...faults, ...ignored])
  if (data.database_url !== undefined && !/^postgres(?:ql)?:\/\/./.test(data.database_url))
    throw new ConfigError([fault(['database_url'], 'must begin with postgresql://')])
  const addresses = [
    [['timeline', 'otlp'], data.timeline.otlp, 'a collector, such as http://127.0.0.1:4318'],
    [['serve', 'functions_endpoint'], data.serve.functions_endpoint, 'a server, such as http://127.0.0.1:9000'],
  ] as const
  for (const [path, address, what] of addresses)
    if (address !== undefined && !(/^https?:\/\/./.test(address) && URL.canParse(address)))
      throw new ConfigError([fault(path, `must be the address of ${what}`)])
  if (data.database_url !== undefined && data.durable)
    throw new ConfigError([fault(['durable'], 'is set by the server at database_url; leave it out here')])
  if (data.database_url !== undefined && data.branches === 'git')
    throw new ConfigError([
      fault(['branches'], 'cannot be "git" with a database_url: undock cannot copy a database of another server'),
    ])
  return deepFreeze(data)
}
