import { z } from 'zod'
import { ApiSection } from './api.ts'
import { AuthSection } from './auth.ts'
import { DbSection } from './db.ts'
import { text, textEntry } from './fields.ts'
import { EdgeRuntimeSection, FunctionsSection } from './functions.ts'
import { StorageSection } from './storage.ts'
import { AnalyticsSection, ExperimentalSection, LocalSmtpSection, RealtimeSection, StudioSection } from './tools.ts'

/** Every key of supabase/config.toml that the CLI knows, with the default it has when left out.
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
  /** What only hosted projects, and the CLI's own way to run one, read. */
  compute: z.record(z.string(), z.unknown()).default(() => ({})),
  local: z.record(z.string(), z.unknown()).default(() => ({})),
  /** What differs on hosted branches; the local stack reads nothing of it but the names. */
  remotes: z.record(z.string(), z.looseObject({ project_id: textEntry() })).default(() => ({})),
})
export type Project = z.infer<typeof ProjectSchema>
