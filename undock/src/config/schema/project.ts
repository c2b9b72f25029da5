import { z } from 'zod'
import { AuthSection } from './auth.ts'
import { DbSection } from './db.ts'
import { text, textEntry } from './fields.ts'
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
