import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

/** Reads a document's text into passages. It answers when it is done; how far it is comes over the library's channel. */
export const indexDocument = mutationOptions({
  mutationFn: async (document: string) => {
    const { error } = await supabase.functions.invoke('ingest', { body: { document_id: document } })
    if (error) throw error
  },
})

export const addNote = mutationOptions({
  mutationFn: async (note: { library: string; title: string; body: string; collection: string | undefined }) => {
    const { collection, ...rest } = note
    const { data } = await supabase.rpc('add_note', collection ? { ...rest, collection } : rest).throwOnError()
    return data
  },
})

/** Into the trash, and out again: what is deleted stays there for 30 days. */
export const setDeleted = mutationOptions({
  mutationFn: async ({ document, deleted }: { document: string; deleted: boolean }) => {
    await supabase
      .from('documents')
      .update({ deleted_at: deleted ? new Date().toISOString() : null })
      .eq('id', document)
      .throwOnError()
  },
})

export const renameDocument = mutationOptions({
  mutationFn: async ({ document, title }: { document: string; title: string }) => {
    await supabase.from('documents').update({ title }).eq('id', document).throwOnError()
  },
})

export const addCollection = mutationOptions({
  mutationFn: async ({ library, name, parent }: { library: string; name: string; parent?: string }) => {
    await supabase
      .from('collections')
      .insert({ library_id: library, name, parent_id: parent ?? null })
      .throwOnError()
  },
})
