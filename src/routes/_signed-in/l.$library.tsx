import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { LibraryFailure } from '../../screens/library/library-failure.tsx'
import { LibraryLayout } from '../../screens/library/library-layout.tsx'

const Params = z.object({ library: z.guid() })

export const Route = createFileRoute('/_signed-in/l/$library')({
  params: { parse: (params) => Params.parse(params) },
  loader: ({ context: { queryClient }, params: { library } }) => {
    // Prefetched without waiting, so that the screen shows them immediately.
    void queryClient.prefetchQuery(collectionsQuery(library))
    void queryClient.prefetchQuery(tagsQuery(library))
    void queryClient.prefetchQuery(membersQuery(library))
    return queryClient.query({ ...libraryQuery(library), staleTime: 'static' })
  },
  component: LibraryLayout,
  errorComponent: LibraryFailure,
})
