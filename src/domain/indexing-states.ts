import type { Enums } from '../../supabase/functions/_shared/database.ts'

/** How far a document is on its way to being found by a search. */
export type IndexingState = Enums<'ingestion_state'>
