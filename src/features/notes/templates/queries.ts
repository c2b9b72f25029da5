import { keys } from '../../../domain/keys.ts'
import { type DataOf, databaseQuery, presentRow } from '../../../lib/backend/database-query.ts'
import { supabase } from '../../../lib/backend/supabase.ts'

/** More than anyone would browse. */
const MAX_TEMPLATES = 200

/** A library's templates by title, without texts; empty for guests. */
export const templatesQuery = (library: string) =>
  databaseQuery(keys.templates(library), () =>
    supabase.from('note_templates').select('id, title').eq('library_id', library).order('title').limit(MAX_TEMPLATES),
  )

/** A template with its text. @throws {MissingRowError} if it was deleted. */
export const templateQuery = (library: string, template: string) => ({
  ...databaseQuery(
    [...keys.templates(library), template],
    () => supabase.from('note_templates').select('id, title, body, updated_at').eq('id', template),
    (rows) => presentRow(rows[0]),
  ),
  // An editor must start from the saved text, never from a cached one.
  gcTime: 0,
})
export type Template = DataOf<typeof templateQuery>
