import { keys } from '../../domain/keys.ts'
import type { RecognitionLanguage } from '../../domain/recognition.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'

type LibraryChange =
  | { name: string; description: string }
  | { require_second_factor: boolean }
  | { recognition_languages: RecognitionLanguage[] }
  | { allows_models: boolean }

export const changeLibrary = defineOfflineMutation({
  name: 'change-library',
  mutationFn: async ({ library, change }: { library: string; change: LibraryChange }) => {
    const { data } = await supabase.from('libraries').update(change).eq('id', library).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can change its settings.'))
  },
  invalidates: ({ library }) => [keys.library(library), keys.libraries],
})

/** Deletes the rows now; the next purge deletes the files. */
export const deleteLibrary = defineMutation({
  mutationFn: async (library: string) => {
    const { data } = await supabase.from('libraries').delete().eq('id', library).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can delete it.'))
  },
  invalidates: () => [keys.libraries],
})
