import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { defineOfflineMutation } from '../../lib/offline/outbox.ts'

export type Subject = { library: string; document: string } | { library: string; collection: string }

/** Postgres' unique_violation: already a favorite. */
const IS_THERE = '23505'

const columnsOf = (subject: Subject) =>
  'document' in subject ? { document_id: subject.document } : { collection_id: subject.collection }

export const setFavorite = defineOfflineMutation({
  name: 'set-favorite',
  mutationFn: async ({ subject, isFavorite }: { subject: Subject; isFavorite: boolean }) => {
    const favorites = supabase.from('favorites')
    if (isFavorite) {
      const { error } = await favorites.insert({ library_id: subject.library, ...columnsOf(subject) })
      if (error && error.code !== IS_THERE) throw error
    } else {
      await favorites.delete().match(columnsOf(subject)).throwOnError()
    }
  },
  coalesceBy: ({ subject }) => ('document' in subject ? subject.document : subject.collection),
  invalidates: () => [keys.favorites],
})

export const moveFavorite = defineMutation({
  /** @param before The favorite to move before; undefined for the end. */
  mutationFn: ({ favorite, before }: { favorite: string; before: string | undefined }) =>
    supabase.rpc('move_favorite', { favorite, ...(before ? { before } : {}) }).throwOnError(),
  invalidates: () => [keys.favorites],
})
