import type { Database } from './database.ts'

type Row = Database['public']['Functions']['search_passages']['Returns'][number]
/** Columns that can be null, which the generated types don't show. */
type Nullable = 'mime_type' | 'page' | 'heading'

/** A search result: one passage. */
export type Hit = Omit<Row, Nullable | 'highlights'> & { [Column in Nullable]: Row[Column] | null } & {
  /** Where words of the query are in `content`: start and end in UTF-16 units. */
  highlights: [start: number, end: number][]
}

export type SearchAnswer = {
  hits: Hit[]
  by_meaning: boolean
}
