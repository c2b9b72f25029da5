import { keys } from '../../domain/keys.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { isConflict } from './conflict.ts'
import { storeVersion } from './mutations.ts'
import { latestVersion } from './queries.ts'

/** Others may save at the same moment; nobody saves this often. */
const MOST_ATTEMPTS = 4

/** Makes a next version of a note that ends with this Markdown.
 *  @throws {PostgrestError} when the note would be too long, is gone, or may not be changed. */
export const appendToNote = defineMutation({
  mutationFn: async ({ library, note, markdown }: { library: string; note: string; markdown: string }) => {
    for (let attempt = 1; ; attempt += 1) {
      const { id: basedOn, body } = await latestVersion(note)
      try {
        return await storeVersion({ library, note, body: joined(body ?? '', markdown), basedOn })
      } catch (error) {
        // Somebody has saved in between: the text goes to the end of theirs.
        if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error
      }
    }
  },
  invalidates: ({ library, note }) => [keys.document(library, note), keys.titles(library)],
})

const joined = (body: string, markdown: string): string => [body.trimEnd(), markdown].filter(Boolean).join('\n\n')
