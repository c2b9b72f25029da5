import type { Enums } from '../../supabase/functions/_shared/database.ts'

export type IndexingState = Enums<'indexing_state'>
