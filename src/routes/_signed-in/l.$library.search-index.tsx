import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { indexingProgressQuery } from '../../features/documents/queries.ts'
import { indexHealthQuery } from '../../features/insights/queries.ts'
import { lenient } from '../../lib/lenient.ts'
import { SearchIndexScreen } from '../../screens/library/search-index-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/search-index')({
  validateSearch: z.object({
    /** The beginning of the words that are listed. */
    words: lenient(z.coerce.string().check(z.maxLength(100))),
  }),
  loader: ({ context: { queryClient }, params: { library } }) =>
    Promise.all([
      queryClient.query({ ...indexHealthQuery(library), staleTime: 'static' }),
      queryClient.query({ ...indexingProgressQuery(library), staleTime: 'static' }),
    ]),
  component: SearchIndexScreen,
})
