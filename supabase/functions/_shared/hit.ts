import type { Database } from './database.ts'

type Row = Database['public']['Functions']['search_passages']['Returns'][number]
/** The columns that can be null, which the generated types do not say. */
type Nullable = 'mime_type' | 'page' | 'heading'

/** A passage that a search has found. */
export type Hit = Omit<Row, Nullable | 'highlights'> & { [Column in Nullable]: Row[Column] | null } & {
  /** Where words of the query are in `content`: start and end in UTF-16 units. */
  highlights: [start: number, end: number][]
}

/** What the function `search` answers. */
export type SearchAnswer = {
  hits: Hit[]
  /** Whether it is a search by meaning, too, and not by words alone. */
  by_meaning: boolean
}
