import { z } from 'zod'
import { type DeepReadonly, deepFreeze } from './config.ts'
import { ConfigError } from './fault.ts'
import { readToml, type TomlSource } from './read-toml.ts'
import { choice, count, flag, list, optionalText, port, size, table, text, undockDuration } from './schema/fields.ts'

const MIB = 1024 * 1024

export const SettingsSchema = z.strictObject({
  /** PostgreSQL's own programs (native), PostgreSQL in WebAssembly (PGlite), or native
   *  where it runs and has the project's extensions, else PGlite (auto). */
  engine: choice(['auto', 'native', 'pglite'], 'auto'),
  /** The URL of an existing Postgres, 15 or newer, to use instead. */
  database_url: optionalText(),
  /** Whether each commit waits for the disk, so that acknowledged writes survive a power cut. The native engine always does. */
  durable: flag(false),
  /** The address that all ports listen on. */
  host: text('127.0.0.1'),
  /** The origins of web pages on other machines that may use secret keys and undock's own routes. */
  allowed_origins: list(),
  /** Whether a start works on the data of the branch that git has checked out (git), or on that of the last `undock branch switch`,
   *  which is one and the same for all where none was ever made (manual). */
  branches: choice(['manual', 'git'], 'manual'),
  /** What `create extension` does when the engine does not have the extension. */
  missing_extensions: choice(['error', 'warn'], 'error'),
  /** Whether refusals of row security and empty answers of the Data API say why, to clients of this machine. */
  explain: flag(false),
  realtime: table({
    /** Whether public channels are refused, like "Allow public access" turned off in a hosted project. */
    private_only: flag(false),
  }),
  timeline: table({
    /** Whether the last requests are kept in memory, each with what it caused (`undock requests`). */
    enabled: flag(true),
    /** The most requests that are kept. */
    requests: count(1_000),
    /** Whether bodies of JSON and forms are kept with them, without passwords, tokens and keys (`undock requests replay`). */
    bodies: flag(false),
    /** A collector of OpenTelemetry that gets each request (OTLP over HTTP); else OTEL_EXPORTER_OTLP_ENDPOINT names one. */
    otlp: optionalText(),
  }),
  import: table({
    /** Columns, as schema.table.column, that `undock import --anonymize` replaces besides those that it finds itself. */
    anonymize: list(),
    /** Columns that it leaves as they are. */
    keep: list(),
  }),
  /** A node of `undock serve`, which has no database, files or defaults of its own. */
  serve: table({
    /** The API's port, and that of health, readiness and metrics, which is not for clients. */
    port: port(8000),
    admin_port: port(9000),
    /** The URL of a pooler in transaction mode (PgBouncer 1.21 or newer) for queries; `database_url` is then what listens and
     *  migrates. */
    pooler_url: optionalText(),
    /** The URL of a streaming replica for reads of the Data API that it has everything for. */
    replica_url: optionalText(),
    /** Addresses and ranges (10.0.0.0/8) of balancers, whose `X-Forwarded-For` names the client. */
    trusted_proxies: list(),
    /** Seconds from the signal to end until no new connections are taken, in which balancers notice that the node is not ready. */
    drain_delay: undockDuration(5),
    /** Seconds that requests may then take to end. */
    drain_limit: undockDuration(30),
    /** What carries messages to other nodes: the database itself (postgres), or the URL of a NATS server. */
    bus: text('postgres'),
    /** Where edge functions run, such as http://functions.internal:9000, if not beside the node. */
    functions_endpoint: optionalText(),
    /** The store that holds the contents of files. */
    s3: table({
      /** Null is Amazon's own. */
      endpoint: optionalText(),
      region: text('us-east-1'),
      bucket: optionalText(),
      /** What the names of all contents begin with. */
      prefix: text(''),
      access_key_id: optionalText(),
      secret_access_key: optionalText(),
      force_path_style: flag(true),
    }),
    /** The keys of Storage's own S3 protocol, which acts as the service role; without them it is off. */
    s3_protocol: table({ access_key: optionalText(), secret_key: optionalText(), region: text('local') }),
  }),
  limits: table({
    /** Seconds that a statement of the services may wait and run before it is cancelled; 0 means no limit. That of clients of the
     *  database port is `statement_timeout` of their role. */
    statement_timeout: undockDuration(60),
    /** The most bytes of the body of a request to the Data API, and to an edge function. */
    rest_body: size(100 * MIB),
    functions_body: size(100 * MIB),
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
  const addresses = [
    [['timeline', 'otlp'], data.timeline.otlp, 'a collector, such as http://127.0.0.1:4318'],
    [['serve', 'functions_endpoint'], data.serve.functions_endpoint, 'a server, such as http://127.0.0.1:9000'],
  ] as const
  for (const [path, address, what] of addresses)
    if (address !== undefined && !(/^https?:\/\/./.test(address) && URL.canParse(address)))
      throw new ConfigError([fault(path, `must be the address of ${what}`)])
  if (data.database_url !== undefined && data.durable)
    throw new ConfigError([fault(['durable'], 'is for the server at database_url to decide; leave it out here')])
  if (data.database_url !== undefined && data.branches === 'git')
    throw new ConfigError([
      fault(['branches'], 'cannot be "git" with a database_url: undock cannot copy a database of another server'),
    ])
  return deepFreeze(data)
}
