import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'

/** Which highlights are shown, as it is in the address. */
export const HighlightFilter = z.object({
  /** Words of the passage, of what was said of it, or of the document's title. */
  q: lenient(z.coerce.string()),
  person: lenient(z.guid()),
  /** A colour, or those that were commented on. */
  color: lenient(z.enum(['yellow', 'green', 'blue', 'pink', 'comment'])),
  collection: lenient(z.guid()),
  document: lenient(z.guid()),
  since: lenient(z.enum(['week', 'month', 'year'])),
})
export type HighlightFilter = z.infer<typeof HighlightFilter>
export type FilterChange = { [Key in keyof HighlightFilter]?: HighlightFilter[Key] | undefined }
