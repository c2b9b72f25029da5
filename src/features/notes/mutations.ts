import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { latestVersion, readVersion } from './queries.ts'

/** Enforced by the database as well (versions.body), in bytes. */
export const LONGEST_NOTE = 1_048_576

type Draft = { library: string; note: string; body: string; basedOn: string | null }

async function storeDraft({ library, note, body, basedOn }: Draft): Promise<void> {
  await supabase
    .from('note_drafts')
    .upsert({ library_id: library, document_id: note, body, based_on: basedOn }, { onConflict: 'user_id,document_id' })
    .throwOnError()
}

async function deleteDraft({ note }: Pick<Draft, 'note'>): Promise<void> {
  await supabase.from('note_drafts').delete().eq('document_id', note).throwOnError()
}

/** @throws {PostgrestError} `PT409` when `basedOn` is not the latest version any more: see isConflict. */
export async function storeVersion({ note, body, basedOn }: Draft & { basedOn: string }) {
  const { data } = await supabase.rpc('save_note', { document: note, body, based_on: basedOn }).throwOnError()
  return data
}

export const saveDraft = defineOfflineMutation({
  name: 'save-draft',
  mutationFn: storeDraft,
  coalesceBy: ({ note }) => note,
})

export const discardDraft = defineMutation({
  mutationFn: (draft: Pick<Draft, 'library' | 'note'>) => deleteDraft(draft),
  invalidates: ({ library, note }) => [keys.draft(library, note)],
})

const Conflict = z.object({ code: z.literal('PT409') })

/** Whether a save was refused because somebody else has saved meanwhile. */
export const isConflict = (error: unknown): boolean => Conflict.safeParse(error).success

/** Makes the next version of a note.
 *  @throws {PostgrestError} `PT409` when `basedOn` is not the latest version any more: see isConflict. */
export const saveNote = defineOfflineMutation({
  name: 'save-note',
  mutationFn: storeVersion,
  invalidates: ({ library, note }) => [keys.document(library, note)],
  resend: async (draft) => {
    try {
      await storeMerged(draft)
      await deleteDraft(draft)
    } catch (error) {
      if (!isConflict(error)) throw error
      await storeDraft(draft)
      showToast({
        title: t('Somebody else has saved a note that you changed without network'),
        description: t('Your text is kept as a draft: open the note to put both together.'),
      })
    }
  },
})

/** Stores a version, put together with what others have saved meanwhile where both changed different places. */
async function storeMerged(draft: Draft & { basedOn: string }): Promise<void> {
  try {
    await storeVersion(draft)
  } catch (error) {
    if (!isConflict(error)) throw error
    const [{ mergeTexts }, base, latest] = await Promise.all([
      import('./merge-texts.ts'),
      readVersion(draft.basedOn),
      latestVersion(draft.note),
    ])
    const body = mergeTexts(base.body ?? '', draft.body, latest.body ?? '')
    if (body === undefined) throw error
    // It has arrived before, and its answer was lost: another version would be the same.
    if (body === latest.body) return
    await storeVersion({ ...draft, body, basedOn: latest.id })
  }
}
