import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'
import { showToast } from '../../lib/ui/toast.ts'

/** Enforced by the database as well (versions.body), in bytes. */
export const LONGEST_NOTE = 1_048_576

type Draft = { library: string; note: string; body: string; basedOn: string | null }

async function storeDraft({ library, note, body, basedOn }: Draft): Promise<void> {
  await supabase
    .from('note_drafts')
    .upsert({ library_id: library, document_id: note, body, based_on: basedOn }, { onConflict: 'user_id,document_id' })
    .throwOnError()
}

async function deleteDraft(note: string): Promise<void> {
  await supabase.from('note_drafts').delete().eq('document_id', note).throwOnError()
}

async function storeVersion({ note, body, basedOn }: Draft & { basedOn: string }) {
  const { data } = await supabase.rpc('save_note', { document: note, body, based_on: basedOn }).throwOnError()
  return data
}

export const saveDraft = defineOfflineMutation({
  name: 'save-draft',
  mutationFn: storeDraft,
  coalesceBy: ({ note }) => note,
})

export const discardDraft = defineMutation({ mutationFn: deleteDraft })

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
      await storeVersion(draft)
      await deleteDraft(draft.note)
    } catch (error) {
      if (!isConflict(error)) throw error
      // The editor shows both texts as soon as the note is opened.
      await storeDraft(draft)
      showToast({
        title: t('Somebody else has saved a note that you changed without network'),
        description: t('Your text is kept as a draft: open the note to put both together.'),
      })
    }
  },
})
