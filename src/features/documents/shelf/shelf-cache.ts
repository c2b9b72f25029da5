import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { keys } from '../../../domain/keys.ts'
import type { Card, ShelfPage } from '../card.ts'

type ShelfData = InfiniteData<ShelfPage>

/** Changes cards on all cached shelves optimistically.
 *  @param change Returns the changed card, or undefined to remove it.
 *  @returns a function that undoes the change. */
export function changeCards(
  queryClient: QueryClient,
  library: string,
  documents: readonly string[],
  change: (card: Card) => Card | undefined,
): () => void {
  const touched = new Set(documents)
  const queryKey = keys.documents(library)
  // A pending response lacks this change and would revert it.
  void queryClient.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined })
  const before = queryClient.getQueriesData<ShelfData>({ queryKey })
  queryClient.setQueriesData<ShelfData>({ queryKey }, (shelf) => shelf && changed(shelf, touched, change))
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
}

function changed(shelf: ShelfData, touched: ReadonlySet<string>, change: (card: Card) => Card | undefined): ShelfData {
  let gone = 0
  const pages = shelf.pages.map((page) => ({
    ...page,
    documents: page.documents.flatMap((card) => {
      if (!touched.has(card.id)) return [card]
      const next = change(card)
      if (next) return [next]
      gone += 1
      return []
    }),
  }))
  return { ...shelf, pages: pages.map((page) => ({ ...page, total: page.total === null ? null : page.total - gone })) }
}
