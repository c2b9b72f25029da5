import { z } from 'zod'
import { AuthSection } from './auth.ts'
import {
  choice,
  count,
  dictionary,
  duration,
  flag,
  list,
  optionalChoice,
  optionalCount,
  optionalFlag,
  optionalTable,
  optionalText,
  port,
  table,
  text,
  textEntry,
} from './fields.ts'
import {
  AnalyticsSection,
  ApiSection,
  EdgeRuntimeSection,
  ExperimentalSection,
  FunctionsSection,
  LocalSmtpSection,
  RealtimeSection,
  StorageSection,
  StudioSection,
} from './services.ts'

/** Postgres settings; missing ones keep the engine's value. */
const Settings = table({
  effective_cache_size: optionalText(),
  logical_decoding_work_mem: optionalText(),
  maintenance_work_mem: optionalText(),
  max_connections: optionalCount(),
  max_locks_per_transaction: optionalCount(),
  max_parallel_maintenance_workers: optionalCount(),
  max_parallel_workers: optionalCount(),
  max_parallel_workers_per_gather: optionalCount(),
  max_replication_slots: optionalCount(),
  max_slot_wal_keep_size: optionalText(),
  max_standby_archive_delay: optionalText(),
  max_standby_streaming_delay: optionalText(),
  max_wal_senders: optionalCount(),
  max_wal_size: optionalText(),
  max_worker_processes: optionalCount(),
  session_replication_role: optionalChoice(['origin', 'replica', 'local']),
  shared_buffers: optionalText(),
  statement_timeout: optionalText(),
  track_activity_query_size: optionalText(),
  track_commit_timestamp: optionalFlag(),
  wal_keep_size: optionalText(),
  wal_sender_timeout: optionalText(),
  work_mem: optionalText(),
})

const DbSection = table({
  port: port(54322),
  shadow_port: port(54320),
  health_timeout: duration(120),
  major_version: count(17),
  orioledb_version: text(),
  /** The encryption key of supabase_vault; the default is public and the same on every machine. */
  root_key: text('d4dc5b6d4a1d6a10b2c1e76112c994d65db7cec380572cc1839624d4be3fa275'),
  pooler: table({
    enabled: flag(false),
    port: port(54329),
    pool_mode: choice(['transaction', 'session'], 'transaction'),
    default_pool_size: count(20),
    max_client_conn: count(100),
  }),
  /** Patterns are absolute after loading. */
  migrations: table({ enabled: flag(true), schema_paths: list() }),
  seed: table({ enabled: flag(true), sql_paths: list(['./seed.sql']) }),
  settings: Settings,
  network_restrictions: table({
    enabled: flag(false),
    allowed_cidrs: list(['0.0.0.0/0']),
    allowed_cidrs_v6: list(['::/0']),
  }),
  ssl_enforcement: optionalTable({ enabled: flag(false) }),
  vault: dictionary(),
})

/** All keys of supabase/config.toml that the CLI knows, with their defaults.
 *  @see supabase/cli pkg/config/config.go and templates/config.toml */
export const ProjectSchema = z.strictObject({
  project_id: text(),
  api: ApiSection,
  db: DbSection,
  realtime: RealtimeSection,
  studio: StudioSection,
  local_smtp: LocalSmtpSection,
  storage: StorageSection,
  auth: AuthSection,
  edge_runtime: EdgeRuntimeSection,
  functions: FunctionsSection,
  analytics: AnalyticsSection,
  experimental: ExperimentalSection,
  /** Only for hosted projects and the CLI itself. */
  compute: z.record(z.string(), z.unknown()).default(() => ({})),
  local: z.record(z.string(), z.unknown()).default(() => ({})),
  /** Overrides of hosted branches; the local stack only reads their names. */
  remotes: z.record(z.string(), z.looseObject({ project_id: textEntry() })).default(() => ({})),
})
export type Project = z.infer<typeof ProjectSchema>
