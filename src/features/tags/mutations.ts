import { mutationOptions } from '@tanstack/react-query'
import { inGroups } from '../../lib/groups.ts'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'

/** @returns the id of the tag of this name, made now if there was none. */
export const addTag = mutationOptions({
  mutationFn: async ({ library, name }: { library: string; name: string }) => {
    const { data } = await supabase
      .from('tags')
      .insert({ library_id: library, name })
      .select('id, name, color')
      .single()
      .throwOnError()
    return data
  },
})

export const renameTag = mutationOptions({
  mutationFn: async ({ tag, name }: { tag: string; name: string }) => {
    await supabase.from('tags').update({ name }).eq('id', tag).throwOnError()
  },
})

/** Takes a tag off every document and out of the library.
 *  @returns what `restoreTag` needs to put it back. */
export const deleteTag = mutationOptions({
  mutationFn: async (tag: string) => {
    const { data: itself } = await supabase
      .from('tags')
      .select('id, library_id, name, color')
      .eq('id', tag)
      .single()
      .throwOnError()
    const { data: placed } = await supabase
      .from('document_tags')
      .select('library_id, document_id, tag_id')
      .eq('tag_id', tag)
      .throwOnError()
    await supabase.from('tags').delete().eq('id', tag).throwOnError()
    return { itself, placed }
  },
})

type Removed = {
  itself: { id: string; library_id: string; name: string; color: string }
  placed: { library_id: string; document_id: string; tag_id: string }[]
}

export const restoreTag = mutationOptions({
  mutationFn: async ({ itself, placed }: Removed) => {
    await supabase.from('tags').insert(itself).throwOnError()
    if (placed.length > 0) await supabase.from('document_tags').insert(placed).throwOnError()
  },
})

type Tagging = { library: string; documents: readonly string[]; tag: string; on: boolean }

/** Puts a tag on documents, or takes it off them. */
export const setTag = mutationOptions({
  mutationKey: written('tag-documents'),
  mutationFn: async ({ library, documents, tag, on }: Tagging) => {
    if (on) {
      const rows = documents.map((document_id) => ({ library_id: library, document_id, tag_id: tag }))
      await supabase.from('document_tags').upsert(rows, { ignoreDuplicates: true }).throwOnError()
      return
    }
    await inGroups(documents, (ids) =>
      supabase.from('document_tags').delete().eq('tag_id', tag).in('document_id', ids).throwOnError(),
    )
  },
})
