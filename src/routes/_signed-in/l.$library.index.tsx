import { createFileRoute, retainSearchParams, type SearchMiddleware } from '@tanstack/react-router'
import { fieldSort } from '../../domain/field-sort.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { shelfQuery } from '../../features/documents/queries.ts'
import { ShelfSearch, withDefaultSort } from '../../features/documents/shelf/shelf-search.ts'
import { ShelfScreen } from '../../screens/shelf/shelf-screen.tsx'

/** The order is kept between shelves, unless it is by a field of the collection. */
const retainOrder: SearchMiddleware<ShelfSearch> = ({ search, next }) => {
  const result = next(search)
  return 'sort' in result || fieldSort(search.sort) ? result : { ...result, sort: search.sort }
}

export const Route = createFileRoute('/_signed-in/l/$library/')({
  validateSearch: ShelfSearch,
  search: { middlewares: [retainSearchParams(['view']), retainOrder] },
  loaderDeps: ({ search: { view, ...shelf } }) => shelf,
  loader: async ({ context: { queryClient }, params: { library }, deps }) => {
    const mayHaveOrder = deps.collection !== undefined && deps.sort === undefined
    const collections = mayHaveOrder ? await queryClient.ensureQueryData(collectionsQuery(library)) : []
    return queryClient.infiniteQuery({
      ...shelfQuery(library, withDefaultSort(deps, collections)),
      staleTime: 'static',
    })
  },
  component: ShelfScreen,
})
