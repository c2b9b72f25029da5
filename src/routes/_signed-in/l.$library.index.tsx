import { createFileRoute, retainSearchParams } from '@tanstack/react-router'
import { shelfQuery } from '../../features/documents/queries.ts'
import { ShelfSearch } from '../../features/documents/shelf/shelf-search.ts'
import { ShelfScreen } from '../../screens/shelf/shelf-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/')({
  validateSearch: ShelfSearch,
  // View and order stay the same from one shelf to the next.
  search: { middlewares: [retainSearchParams(['view', 'sort'])] },
  loaderDeps: ({ search: { view, ...shelf } }) => shelf,
  loader: ({ context, params, deps }) =>
    context.queryClient.infiniteQuery({ ...shelfQuery(params.library, deps), staleTime: 'static' }),
  component: ShelfScreen,
})
