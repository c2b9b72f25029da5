import { createFileRoute } from '@tanstack/react-router'
import { HighlightFilter } from '../../features/highlights/filter.ts'
import { highlightsQuery } from '../../features/highlights/queries.ts'
import { HighlightsScreen } from '../../screens/highlights/highlights-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/highlights')({
  validateSearch: HighlightFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { library }, deps }) =>
    queryClient.infiniteQuery({ ...highlightsQuery(library, deps), staleTime: 'static' }),
  component: HighlightsScreen,
})
