import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches, inPages, LARGE_BATCH } from '../../lib/batches.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'

/** Creates a tag. @returns the new tag. */
export const addTag = defineMutation({
  mutationFn: async ({ library, name }: { library: string; name: string }) => {
    const { data } = await supabase
      .from('tags')
      .insert({ library_id: library, name })
      .select('id, name, color')
      .single()
      .throwOnError()
    return data
  },
  invalidates: ({ library }) => [keys.tags(library), keys.documents(library)],
})

export const renameTag = defineMutation({
  mutationFn: ({ tag, name }: { library: string; tag: string; name: string }) =>
    supabase.from('tags').update({ name }).eq('id', tag).throwOnError(),
  invalidates: ({ library }) => [keys.tags(library), keys.documents(library)],
})

/** Deletes a tag from the library and all its documents. @returns the data for `restoreTag`. */
export const deleteTag = defineMutation({
  mutationFn: async ({ tag }: { library: string; tag: string }) => {
    const { data: itself } = await supabase
      .from('tags')
      .select('id, library_id, name, color')
      .eq('id', tag)
      .single()
      .throwOnError()
    const placed = await inPages((first, last) =>
      supabase
        .from('document_tags')
        .select('library_id, document_id, tag_id')
        .eq('tag_id', tag)
        .order('document_id')
        .range(first, last)
        .throwOnError(),
    )
    await supabase.from('tags').delete().eq('id', tag).throwOnError()
    return { itself, placed }
  },
  invalidates: ({ library }) => [keys.tags(library), keys.documents(library)],
})

type Removed = {
  itself: { id: string; library_id: string; name: string; color: string }
  placed: { library_id: string; document_id: string; tag_id: string }[]
}

export const restoreTag = defineMutation({
  mutationFn: async ({ itself, placed }: Removed & { library: string }) => {
    await supabase.from('tags').insert(itself).throwOnError()
    if (placed.length > 0) await supabase.from('document_tags').insert(placed).throwOnError()
  },
  invalidates: ({ library }) => [keys.tags(library), keys.documents(library)],
})

type Tagging = { library: string; documents: readonly string[]; tag: string; on: boolean }

export const setTag = defineOfflineMutation({
  name: 'tag-documents',
  mutationFn: async ({ library, documents, tag, on }: Tagging) => {
    if (on) {
      const rows = documents.map((document_id) => ({ library_id: library, document_id, tag_id: tag }))
      await supabase.from('document_tags').upsert(rows, { ignoreDuplicates: true }).throwOnError()
      return
    }
    const untag = (ids: string[]) => supabase.rpc('untag_documents', { documents: ids, tag }).throwOnError()
    await inBatches(documents, untag, LARGE_BATCH)
  },
  invalidates: ({ library, documents }) => [
    keys.tags(library),
    keys.documents(library),
    ...documents.slice(0, 1).map((document) => keys.document(library, document)),
  ],
})
