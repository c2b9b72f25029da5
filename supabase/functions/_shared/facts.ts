// Limits shared by the app, the functions and the database, which enforces them (supabase/schemas/).
// tests/acceptance/file-kinds.test.ts compares the two.

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
