import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { inBatches, inPages, LARGE_BATCH } from '../../lib/batches.ts'
import { defineMutation } from '../../lib/mutations.ts'

type NewCollection = { library: string; name: string; parent: string | null }

/** @returns the new collection's id. */
export async function createCollection({ library, name, parent }: NewCollection): Promise<string> {
  const { data } = await supabase
    .from('collections')
    .insert({ library_id: library, name, parent_id: parent })
    .select('id')
    .single()
    .throwOnError()
  return data.id
}

export const addCollection = defineMutation({
  mutationFn: createCollection,
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})

export const renameCollection = defineMutation({
  mutationFn: ({ collection, name }: { library: string; collection: string; name: string }) =>
    supabase.from('collections').update({ name }).eq('id', collection).throwOnError(),
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})

/** `null` moves to the top level. The database rejects cycles and more than twenty levels. */
export const moveCollection = defineMutation({
  mutationFn: ({ collection, parent }: { library: string; collection: string; parent: string | null }) =>
    supabase.from('collections').update({ parent_id: parent }).eq('id', collection).throwOnError(),
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})

type Kept = { id: string; library_id: string; name: string; parent_id: string | null; position: number }
export type DeletedCollection = { collections: Kept[]; documents: { id: string; collection_id: string }[] }

/** Deletes a collection and its descendants; their documents stay in the library.
 *  @param inside The collection and its descendants, outermost first.
 *  @returns the data for `restoreCollection`. */
export const deleteCollection = defineMutation({
  mutationFn: async ({ inside }: { library: string; inside: readonly string[] }): Promise<DeletedCollection> => {
    const { data: collections } = await supabase
      .from('collections')
      .select('id, library_id, name, parent_id, position')
      .in('id', inside)
      .throwOnError()
    const documents = await inPages((first, last) =>
      supabase
        .from('documents')
        .select('id, collection_id')
        .in('collection_id', inside)
        .order('id')
        .range(first, last)
        .throwOnError(),
    )
    await supabase
      .from('collections')
      .delete()
      .eq('id', inside[0] ?? '')
      .throwOnError()
    return {
      collections: inside.flatMap((id) => collections.find((collection) => collection.id === id) ?? []),
      documents: documents.flatMap(({ id, collection_id }) => (collection_id ? [{ id, collection_id }] : [])),
    }
  },
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})

export const restoreCollection = defineMutation({
  mutationFn: async ({ collections, documents }: DeletedCollection & { library: string }) => {
    // In sequence, because parents must exist first.
    for (const collection of collections) await supabase.from('collections').insert(collection).throwOnError()
    for (const [collection, inside] of Map.groupBy(documents, ({ collection_id }) => collection_id)) {
      const ids = inside.map(({ id }) => id)
      const move = (batch: string[]) => supabase.rpc('move_documents', { documents: batch, collection }).throwOnError()
      await inBatches(ids, move, LARGE_BATCH)
    }
  },
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})
