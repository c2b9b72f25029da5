import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The person's favorites in their order, at most 500 (the database's limit). */
export const favoritesQuery = queryOptions({
  queryKey: keys.favorites,
  queryFn: async ({ signal }): Promise<Favorite[]> => {
    const { data } = await supabase
      .from('favorites')
      .select(
        'id, library_id, created_at, library:libraries(name), document:documents(id, title, kind, mime_type), collection:collections(id, name)',
      )
      .order('position')
      .order('created_at')
      .order('id')
      .abortSignal(signal)
      .throwOnError()
    return data
  },
})

export type StarredDocument = { id: string; title: string; kind: string; mime_type: string | null }
export type StarredCollection = { id: string; name: string }
export type Favorite = {
  id: string
  library_id: string
  created_at: string
  library: { name: string } | null
  document: StarredDocument | null
  collection: StarredCollection | null
}

export const subjectOf = ({ document, collection }: Pick<Favorite, 'document' | 'collection'>): string | undefined =>
  document?.id ?? collection?.id
