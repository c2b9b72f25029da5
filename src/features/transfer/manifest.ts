import * as z from 'zod/mini'
import { Constants } from '../../../supabase/functions/_shared/database.ts'

/** `carrel.json` of an export: everything that isn't a file. People are named, because ids mean nothing elsewhere. */
const Version = z.object({
  number: z.int(),
  path: z.string(),
  file_name: z.nullable(z.string()),
  mime_type: z.string(),
  /** False for a mail whose attachments are separate documents or deleted; missing if they are still in the mail. */
  attachments: z.optional(z.boolean()),
  created_at: z.string(),
  created_by: z.nullable(z.string()),
})
const Comment = z.object({
  id: z.string(),
  parent_id: z.nullable(z.string()),
  body: z.string(),
  quote: z.nullable(z.string()),
  /** For a highlight; missing in old exports. */
  color: z.optional(z.nullable(z.string())),
  page: z.nullable(z.number()),
  resolved_at: z.nullable(z.string()),
  created_at: z.string(),
  created_by: z.nullable(z.string()),
})
const ExportedDocument = z.object({
  id: z.string(),
  kind: z.enum(Constants.public.Enums.document_kind),
  title: z.string(),
  summary: z.string(),
  url: z.nullable(z.string()),
  collection_id: z.nullable(z.string()),
  tags: z.array(z.string()),
  /** Values by field id, people and options by name; missing in old exports. */
  fields: z.optional(z.array(z.object({ field_id: z.string(), values: z.array(z.union([z.string(), z.number()])) }))),
  /** CSL-JSON; missing in old exports. */
  reference: z.optional(z.unknown()),
  created_at: z.string(),
  created_by: z.nullable(z.string()),
  /** Oldest first; the last is current. */
  versions: z.array(Version),
  comments: z.array(Comment),
})
const ExportedField = z.object({
  id: z.string(),
  collection_id: z.string(),
  name: z.string(),
  kind: z.enum(Constants.public.Enums.field_kind),
  takes_several: z.boolean(),
  options: z.array(z.object({ name: z.string(), color: z.string() })),
})
export type ExportedField = z.infer<typeof ExportedField>
export const Manifest = z.object({
  format: z.literal('carrel-library'),
  version: z.literal(1),
  exported_at: z.string(),
  library: z.object({ name: z.string(), description: z.string() }),
  members: z.array(z.object({ name: z.string(), role: z.string() })),
  collections: z.array(z.object({ id: z.string(), name: z.string(), parent_id: z.nullable(z.string()) })),
  tags: z.array(z.object({ name: z.string(), color: z.string() })),
  fields: z.optional(z.array(ExportedField)),
  /** Missing in old exports. */
  templates: z.optional(z.array(z.object({ title: z.string(), path: z.string() }))),
  documents: z.array(ExportedDocument),
})
export type Manifest = z.infer<typeof Manifest>
export type ExportedDocument = z.infer<typeof ExportedDocument>

/** An export to import; other programs' are converted to this.
 *  @property problems What can't be imported, with reasons. */
export type Export = {
  manifest: Manifest
  files: ReadonlyMap<string, Uint8Array>
  problems: { title: string; reason: string }[]
}

export const MANIFEST_NAME = 'carrel.json'
