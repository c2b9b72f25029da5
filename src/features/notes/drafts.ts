import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

/** A text that couldn't be merged with other people's changes. Its writer decides when the note is opened. */
export type Draft = { library: string; note: string; body: string; basedOn: string | null }

/** @throws {PostgrestError} */
export async function storeDraft({ library, note, body, basedOn }: Draft): Promise<void> {
  await supabase
    .from('note_drafts')
    .upsert({ library_id: library, document_id: note, body, based_on: basedOn }, { onConflict: 'user_id,document_id' })
    .throwOnError()
}

/** @throws {PostgrestError} */
async function deleteDraft({ note }: Pick<Draft, 'note'>): Promise<void> {
  await supabase.from('note_drafts').delete().eq('document_id', note).throwOnError()
}

export const discardDraft = defineMutation({
  mutationFn: (draft: Pick<Draft, 'library' | 'note'>) => deleteDraft(draft),
  invalidates: ({ library, note }) => [keys.draft(library, note)],
})
