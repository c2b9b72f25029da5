import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useAction } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { moved } from './arrangement.ts'
import { moveFavorite, setFavorite } from './mutations.ts'
import { type Favorite, favoritesQuery, type StarredCollection, type StarredDocument, subjectOf } from './queries.ts'

export type Starred = { library: string } & (
  | { document: StarredDocument; collection?: undefined }
  | { collection: StarredCollection; document?: undefined }
)

const NONE: readonly Favorite[] = []
/** Serialized, so that the last change wins. */
const scope = { id: 'favorites' }

/** Applies a change optimistically; after a failure, refetches. */
function change(queryClient: QueryClient, next: (before: Favorite[]) => Favorite[]): void {
  // A pending response lacks this change and would revert it.
  void queryClient.cancelQueries({ queryKey: keys.favorites, predicate: ({ state }) => state.data !== undefined })
  queryClient.setQueryData<Favorite[]>(keys.favorites, (all) => all && next(all))
}

/** Toggles a favorite. Returns a stable function. */
export function useToggleFavorite(): (starred: Starred) => void {
  const queryClient = useQueryClient()
  const { mutate } = useAction(setFavorite, { scope })
  return useCallback(
    ({ library, document, collection }) => {
      const id = document?.id ?? collection?.id
      const isFavorite = !queryClient.getQueryData<Favorite[]>(keys.favorites)?.some((one) => subjectOf(one) === id)
      const added: Favorite = {
        id: crypto.randomUUID(),
        library_id: library,
        created_at: new Date().toISOString(),
        library: null,
        document: document ?? null,
        collection: collection ?? null,
      }
      change(queryClient, (all) => (isFavorite ? [...all, added] : all.filter((one) => subjectOf(one) !== id)))
      mutate({
        subject: document ? { library, document: document.id } : { library, collection: collection.id },
        isFavorite,
      })
    },
    [queryClient, mutate],
  )
}

export function useMoveFavorite(): (favorite: string, before: string | undefined) => void {
  const queryClient = useQueryClient()
  const { mutate } = useAction(moveFavorite, { scope })
  return (favorite, before) => {
    change(queryClient, (all) => moved(all, favorite, before))
    mutate({ favorite, before })
  }
}

export function useFavorites(): { favorites: readonly Favorite[]; has: (subject: string) => boolean } {
  const { data: favorites = NONE } = useQuery(favoritesQuery)
  return { favorites, has: (subject) => favorites.some((one) => subjectOf(one) === subject) }
}
