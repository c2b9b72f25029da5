import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** A library's retention rules, the library-wide one first; empty for guests. */
export const rulesQuery = (library: string) =>
  databaseQuery([...keys.retention(library), 'rules'], () =>
    supabase
      .from('retention_rules')
      .select(
        'id, collection_id, is_on, trash_after, trash_unit, basis, field_id, trash_days, keep_years, collection:collections(name), field:collection_fields(name)',
      )
      .eq('library_id', library)
      .order('collection_id', { nullsFirst: true }),
  )
export type Rule = DataOf<typeof rulesQuery>[number]

/** What a rule would move to the trash within thirty days, even if it's off: the first 200 and the total. Owners only. */
export const previewQuery = (library: string, rule: string) =>
  databaseQuery([...keys.retention(library), 'preview', rule], () => supabase.rpc('preview_retention', { rule }))

/** A library's legal holds on visible documents, newest first. */
export const holdsQuery = (library: string) =>
  databaseQuery([...keys.retention(library), 'holds'], () =>
    supabase
      .from('legal_holds')
      .select('document_id, reason, placed_at, document:documents!inner(title), author:profiles(display_name)')
      .eq('library_id', library)
      .order('placed_at', { ascending: false }),
  )
export type Hold = DataOf<typeof holdsQuery>[number]
