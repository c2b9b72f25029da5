import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { currentLanguage, t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { sampleOf } from './paths.ts'

const TEXTS = import.meta.glob<string>('./sample/*.md', { query: '?raw', import: 'default' })

/** Adds a sample collection in the current language. @returns its id. */
export const addSample = defineMutation({
  mutationFn: async (library: string): Promise<string> => {
    const text = (await TEXTS[`./sample/${currentLanguage()}.md`]?.()) ?? ''
    const collection = sampleOf(library)
    await supabase
      .from('collections')
      .insert({ id: collection, library_id: library, name: t('Sample documents') })
      .throwOnError()
    // In reverse, because shelves show the newest first.
    for (const body of text.split(/^(?=# )/m).toReversed()) {
      const title = /^# (.*)/.exec(body)?.[1] ?? ''
      await supabase.rpc('add_note', { library, collection, title, body: body.trim() }).throwOnError()
    }
    return collection
  },
  invalidates: (library) => [keys.library(library)],
})

export const removeSample = defineMutation({
  mutationFn: async (library: string) => {
    const collection = sampleOf(library)
    const deleted_at = new Date().toISOString()
    await supabase.from('documents').update({ deleted_at }).eq('collection_id', collection).throwOnError()
    await supabase.from('collections').delete().eq('id', collection).throwOnError()
  },
  invalidates: (library) => [keys.library(library)],
})
