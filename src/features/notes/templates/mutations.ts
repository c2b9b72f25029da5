import { keys } from '../../../domain/keys.ts'
import { supabase } from '../../../lib/backend/supabase.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { defineMutation } from '../../../lib/mutations.ts'

type Text = { title: string; body: string }

export const addTemplate = defineMutation({
  mutationFn: ({ library, title, body }: Text & { library: string }) =>
    supabase.from('note_templates').insert({ library_id: library, title, body }).throwOnError(),
  invalidates: ({ library }) => [keys.templates(library)],
})

/** Saves a template.
 *  @param readAt The `updated_at` that the change is based on.
 *  @returns the new `updated_at`.
 *  @throws {Error} with a message for the user if someone else has changed or deleted it. */
export const changeTemplate = defineMutation({
  mutationFn: async ({ id, title, body, readAt }: Text & { library: string; id: string; readAt: string }) => {
    const { data } = await supabase
      .from('note_templates')
      .update({ title, body })
      .eq('id', id)
      .eq('updated_at', readAt)
      .select('updated_at')
      .maybeSingle()
      .throwOnError()
    if (!data)
      throw new Error(
        t('Someone else changed or deleted this template. Copy your text, close it, and open the template again.'),
      )
    return data.updated_at
  },
  invalidates: ({ library }) => [keys.templates(library)],
})

/** @returns the deleted template; null if it was already deleted. */
export const deleteTemplate = defineMutation({
  mutationFn: async ({ id }: { library: string; id: string }) => {
    const { data } = await supabase
      .from('note_templates')
      .delete()
      .eq('id', id)
      .select('title, body')
      .maybeSingle()
      .throwOnError()
    return data
  },
  invalidates: ({ library }) => [keys.templates(library)],
})
