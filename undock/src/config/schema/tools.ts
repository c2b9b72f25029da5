import { z } from 'zod'
import { choice, count, flag, optionalTable, port, table, text } from './fields.ts'

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

/** The mail inbox, `[inbucket]` before version 3 of the CLI. Port 0 means "do not listen". */
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
    rules: z.array(z.strictObject({ query: text(), name: text(), pass: text(), fail: text() })).default(() => []),
  }),
})
