// Limits shared by the app, the functions and the database, which enforces them (supabase/schemas/).
// tests/acceptance/file-kinds.test.ts compares the two.
import { Constants } from './database.ts'

/** The database's enums, generated from its catalog. Roles ascend. */
export const {
  document_kind: DOCUMENT_KINDS,
  field_kind: FIELD_KINDS,
  indexing_state: INDEXING_STATES,
  mail_frequency: MAIL_FREQUENCIES,
  member_role: ROLES,
  notification_kind: NOTIFICATION_KINDS,
  recognition_state: RECOGNITION_STATES,
} = Constants.public.Enums

/** Bytes of a file. */
export const MAX_FILE = 52_428_800
/** Characters of a document's title. */
export const MAX_TITLE = 300
/** Bytes of a note in UTF-8. */
export const MAX_NOTE = 1_048_576

export const SCOPES = [
  'documents:read',
  'documents:write',
  'search',
  'comments:read',
  'comments:write',
  'members:read',
] as const
export type Scope = (typeof SCOPES)[number]

/** Scopes that a scope implies. */
export const INCLUDED_SCOPES: Partial<Record<Scope, readonly Scope[]>> = {
  'documents:write': ['documents:read'],
  'comments:read': ['documents:read'],
  'comments:write': ['comments:read', 'documents:read'],
}
