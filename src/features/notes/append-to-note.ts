import { keys } from '../../domain/keys.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { isConflict } from './conflict.ts'
import { storeVersion } from './mutations.ts'
import { latestVersion } from './queries.ts'

/** Conflicts are rare; more in a row mean a bug. */
const MAX_ATTEMPTS = 4

/** Saves a new version of a note with this Markdown appended.
 *  @throws {PostgrestError} if the note would be too long, is missing or read-only. */
export const appendToNote = defineMutation({
  mutationFn: async ({ library, note, markdown }: { library: string; note: string; markdown: string }) => {
    for (let attempt = 1; ; attempt += 1) {
      const { id: basedOn, body } = await latestVersion(note)
      try {
        return await storeVersion({ library, note, body: joined(body ?? '', markdown), basedOn })
      } catch (error) {
        // Append to the version saved in between.
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  },
  invalidates: ({ library, note }) => [keys.document(library, note), keys.titles(library)],
})

const joined = (body: string, markdown: string): string => [body.trimEnd(), markdown].filter(Boolean).join('\n\n')
