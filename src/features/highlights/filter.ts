import * as z from 'zod/mini'
import { PERIODS } from '../../domain/document-filter.ts'
import { lenient } from '../../lib/lenient.ts'

export const HighlightFilter = z.object({
  /** Words in the passage, the comment or the title. */
  q: lenient(z.coerce.string()),
  person: lenient(z.guid()),
  /** A color, or those with a comment. */
  color: lenient(z.enum(['yellow', 'green', 'blue', 'pink', 'comment'])),
  collection: lenient(z.guid()),
  document: lenient(z.guid()),
  since: lenient(z.enum(PERIODS)),
})
export type HighlightFilter = z.infer<typeof HighlightFilter>
export type FilterChange = { [Key in keyof HighlightFilter]?: HighlightFilter[Key] | undefined }
