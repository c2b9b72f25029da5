import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { keys } from '../../lib/keys.ts'
import type { Card, ShelfPage } from './queries.ts'

type ShelfData = InfiniteData<ShelfPage>

/** Changes cards on every shelf that is kept, before the database has answered.
 *  @param change The card as it will be; undefined takes it away.
 *  @returns what puts everything back as it was. */
export function changeCards(
  queryClient: QueryClient,
  library: string,
  documents: readonly string[],
  change: (card: Card) => Card | undefined,
): () => void {
  const touched = new Set(documents)
  const queryKey = keys.documents(library)
  // An answer that is on its way was given before this change, and would undo it on screen.
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
