// Limits shared by the app, the functions and the database, which enforces them (supabase/schemas/).
// tests/acceptance/file-kinds.test.ts compares the two.

/** Bytes of a file. */
export const MAX_FILE = 52_428_800
/** Characters of the columns that people write. */
export const MAX_LENGTH = {
  'api_keys.name': 80,
  'collection_fields.name': 60,
  'collections.name': 120,
  'comments.body': 10_000,
  'comments.quote': 2000,
  'documents.summary': 2000,
  'documents.title': 300,
  'documents.url': 2048,
  'field_options.name': 60,
  'field_values.text_value': 2000,
  'file_requests.title': 200,
  'file_requests.words': 2000,
  'groups.description': 500,
  'groups.name': 80,
  'legal_holds.reason': 500,
  'libraries.description': 2000,
  'libraries.name': 120,
  'note_templates.title': 300,
  'profiles.display_name': 80,
  'questions.question': 1000,
  'received_files.message': 1000,
  'received_files.sender_address': 320,
  'received_files.sender_name': 200,
  'rules.name': 100,
  'saved_searches.name': 120,
  'sign_in_domains.company': 80,
  'tags.name': 60,
  'versions.file_name': 255,
  'versions.returned_words': 1000,
  'webhooks.description': 200,
} as const
export type Column = keyof typeof MAX_LENGTH
export const MAX_TITLE = MAX_LENGTH['documents.title']
/** A mention of a person or group, `@[Name](id)`: private.mentioned_people finds the same ones. */
export const MENTION = /@\[([^\][]{1,80})\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g
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
