import { mutationOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'

/** Enforced by the database as well (versions.body), in bytes. */
export const LONGEST_NOTE = 1_048_576

type Draft = { library: string; note: string; body: string; basedOn: string | null }

export const saveDraft = mutationOptions({
  mutationKey: written('save-draft'),
  mutationFn: async ({ library, note, body, basedOn }: Draft) => {
    await supabase
      .from('note_drafts')
      .upsert(
        { library_id: library, document_id: note, body, based_on: basedOn },
        { onConflict: 'user_id,document_id' },
      )
      .throwOnError()
  },
})

export const dropDraft = mutationOptions({
  mutationFn: async (note: string) => {
    await supabase.from('note_drafts').delete().eq('document_id', note).throwOnError()
  },
})

const Conflict = z.object({ code: z.literal('PT409') })

/** Whether a save was refused because somebody else has saved meanwhile. */
export const isConflict = (error: unknown): boolean => Conflict.safeParse(error).success

/** Makes the next version of a note.
 *  @throws {PostgrestError} `PT409` when `basedOn` is not the latest version any more: see isConflict. */
export const saveNote = mutationOptions({
  mutationKey: written('save-note'),
  /** @param wish Says its library for the draft that it becomes if it comes too late (see -writers.ts). */
  mutationFn: async ({ note, body, basedOn }: Draft & { basedOn: string }) => {
    const { data } = await supabase.rpc('save_note', { document: note, body, based_on: basedOn }).throwOnError()
    return data
  },
})
