import { z } from 'zod'
import {
  choice,
  count,
  dictionary,
  flag,
  list,
  named,
  optionalFlag,
  optionalTable,
  port,
  size,
  table,
  text,
} from './fields.ts'

export const ApiSection = table({
  enabled: flag(true),
  port: port(54321),
  schemas: list(['public', 'graphql_public']),
  extra_search_path: list(['public', 'extensions']),
  max_rows: count(1000),
  auto_expose_new_tables: optionalFlag(),
  /** Empty means the gateway's scheme, host and port. */
  external_url: text(),
  tls: table({ enabled: flag(false), cert_path: text(), key_path: text() }),
})

const MIB = 1024 ** 2

const nameOnly = () => z.record(z.string(), z.strictObject({})).default(() => ({}))

export const StorageSection = table({
  enabled: flag(true),
  file_size_limit: size(50 * MIB),
  image_transformation: optionalTable({ enabled: flag(false) }),
  s3_protocol: table({ enabled: flag(true) }),
  buckets: named({
    public: flag(false),
    /** 0, or omitted, means the storage's limit. */
    file_size_limit: size(0),
    allowed_mime_types: list(),
    /** A folder whose files are uploaded to the bucket; absolute after loading. */
    objects_path: text(),
  }),
  analytics: table({
    enabled: flag(false),
    max_namespaces: count(5),
    max_tables: count(10),
    max_catalogs: count(2),
    buckets: nameOnly(),
  }),
  vector: table({ enabled: flag(false), max_buckets: count(10), max_indexes: count(5), buckets: nameOnly() }),
})

/** Paths are absolute after loading. */
export const FunctionsSection = named({
  enabled: flag(true),
  verify_jwt: flag(true),
  /** Empty means the function's own deno.json or deno.jsonc, if any. */
  import_map: text(),
  entrypoint: text(),
  static_files: list(),
  /** Environment variables of this function only. */
  env: dictionary(),
})

export const EdgeRuntimeSection = table({
  enabled: flag(true),
  policy: choice(['per_worker', 'oneshot'], 'per_worker'),
  inspector_port: port(8083),
  deno_version: count(2),
  /** Names are upper case after loading, as in the CLI. */
  secrets: dictionary(),
})

export const RealtimeSection = table({
  enabled: flag(true),
  ip_version: choice(['IPv4', 'IPv6'], 'IPv4'),
  max_header_length: count(4096),
})

export const StudioSection = table({
  enabled: flag(true),
  port: port(54323),
  api_url: text('http://127.0.0.1'),
  openai_api_key: text(),
})

/** The mail inbox, `[inbucket]` before version 3 of the CLI. Port 0 means "don't listen". */
export const LocalSmtpSection = table({
  enabled: flag(true),
  port: port(54324),
  smtp_port: port(0),
  pop3_port: port(0),
  admin_email: text('admin@email.com'),
  sender_name: text('Admin'),
})

export const AnalyticsSection = table({
  enabled: flag(true),
  port: port(54327),
  backend: choice(['postgres', 'bigquery'], 'postgres'),
  gcp_project_id: text(),
  gcp_project_number: text(),
  gcp_jwt_path: text(),
  vector_port: port(0),
})

export const ExperimentalSection = table({
  compute: z.unknown().optional(),
  stack: z.unknown().optional(),
  s3_host: text(),
  s3_region: text(),
  s3_access_key: text(),
  s3_secret_key: text(),
  webhooks: optionalTable({ enabled: flag(false) }),
  pgdelta: optionalTable({ enabled: flag(false), declarative_schema_path: text(), format_options: text() }),
  inspect: table({
    rules: z.array(z.object({ query: text(), name: text(), pass: text(), fail: text() })).default(() => []),
  }),
})
