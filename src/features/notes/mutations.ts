import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { isConflict } from './conflict.ts'
import { type Draft, storeDraft } from './drafts.ts'
import { latestVersion, readVersion } from './queries.ts'
import type { Written } from './writing/outbox.ts'

type Version = Draft & { basedOn: string }

/** @throws {PostgrestError} `PT409` if `basedOn` isn't the latest version: see isConflict. */
export async function storeVersion({ note, body, basedOn }: Version) {
  const { data } = await supabase.rpc('save_note', { document: note, body, based_on: basedOn }).throwOnError()
  return data
}

/** Saves a new version of a note that isn't open for writing.
 *  @throws {PostgrestError} `PT409` if `basedOn` isn't the latest version: see conflict.ts. */
export const saveNote = defineOfflineMutation({
  name: 'save-note',
  mutationFn: storeVersion,
  invalidates: ({ library, note }) => [keys.document(library, note)],
  resend: async (version) => {
    try {
      await storeMerged(version)
    } catch (error) {
      if (!isConflict(error)) throw error
      await storeDraft(version)
      showToast({
        title: t('Someone else saved a note that you changed offline'),
        description: t('Your text is safe. Open the note to merge both.'),
      })
    }
  },
})

async function storeMerged(version: Version): Promise<void> {
  try {
    await storeVersion(version)
  } catch (error) {
    if (!isConflict(error)) throw error
    const [{ mergeTexts }, base, latest] = await Promise.all([
      import('./merge-texts.ts'),
      readVersion(version.basedOn),
      latestVersion(version.note),
    ])
    const body = mergeTexts(base.body ?? '', version.body, latest.body ?? '')
    if (body === undefined) throw error
    // It was stored before and the response was lost.
    if (body === latest.body) return
    await storeVersion({ ...version, body, basedOn: latest.id })
  }
}

/** Stores what was typed in a note. The page that has the note open does it by itself: see use-writing.ts. */
export const sendWriting = defineOfflineMutation({
  name: 'write-note',
  mutationFn: async (written: Written) => (await import('./writing/outbox.ts')).storeVersionOf(written),
})
