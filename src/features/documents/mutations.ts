import { mutationOptions } from '@tanstack/react-query'
import { askToRead, type ToRead } from '../../lib/ask-to-read.ts'
import { inGroups } from '../../lib/groups.ts'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'

/** Reads a document's text into passages; a link's page is fetched first. It answers when it is done; how far it is comes
 *  over the library's channel. */
export const indexDocument = mutationOptions({
  mutationFn: (document: ToRead) => askToRead(document),
})

export const addNote = mutationOptions({
  mutationKey: written('add-note'),
  mutationFn: async (note: {
    library: string
    /** The note's id, chosen by its writer: sent twice it is one note. */
    document: string
    title: string
    body: string
    collection: string | undefined
  }) => {
    const { collection, ...rest } = note
    const { data } = await supabase.rpc('add_note', collection ? { ...rest, collection } : rest).throwOnError()
    return data
  },
})

/** @returns the link, or the one that this library has already: `added` tells which. */
export const addLink = mutationOptions({
  mutationFn: async ({
    library,
    url,
    collection,
  }: {
    library: string
    url: string
    collection: string | undefined
  }) => {
    const { data: known } = await supabase
      .from('documents')
      .select('id, title')
      .eq('library_id', library)
      .eq('url', url)
      .is('deleted_at', null)
      .limit(1)
      .maybeSingle()
      .throwOnError()
    if (known) return { ...known, added: false }
    const { data } = await supabase
      .rpc('add_link', collection ? { library, url, collection } : { library, url })
      .throwOnError()
    return { id: data.id, title: data.title, added: true }
  },
})

/** Into the trash, and out again: what is deleted stays there for 30 days. */
export const setDeleted = mutationOptions({
  mutationKey: written('trash-documents'),
  mutationFn: async ({ documents, deleted }: { documents: readonly string[]; deleted: boolean }) => {
    const deleted_at = deleted ? new Date().toISOString() : null
    await inGroups(documents, (ids) => supabase.from('documents').update({ deleted_at }).in('id', ids).throwOnError())
  },
})

/** Out of the trash and out of the world: first the stored files, which nobody could name any more afterwards. */
export const deleteForGood = mutationOptions({
  mutationFn: async (documents: readonly string[]) => {
    await inGroups(documents, async (ids) => {
      const { data: versions } = await supabase
        .from('versions')
        .select('storage_path, rendition_path')
        .in('document_id', ids)
        .throwOnError()
      const paths = versions.flatMap(({ storage_path, rendition_path }) => [storage_path, rendition_path])
      await inGroups(
        paths.filter((path) => path !== null),
        async (files) => {
          const { error } = await supabase.storage.from('documents').remove(files)
          if (error) throw error
        },
      )
      await supabase.from('documents').delete().in('id', ids).throwOnError()
    })
  },
})

export const renameDocument = mutationOptions({
  mutationKey: written('rename-document'),
  mutationFn: async ({ document, title }: { document: string; title: string }) => {
    await supabase.from('documents').update({ title }).eq('id', document).throwOnError()
  },
})

export const moveDocuments = mutationOptions({
  mutationKey: written('move-documents'),
  mutationFn: async ({ documents, collection }: { documents: readonly string[]; collection: string | null }) => {
    await inGroups(documents, (ids) =>
      supabase.from('documents').update({ collection_id: collection }).in('id', ids).throwOnError(),
    )
  },
})
