import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, Outlet, useSearch } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { LibraryLiveProvider } from '../../features/live/library-live.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { DropZone } from '../../features/uploads/drop-zone.tsx'
import { sayFailure } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'
import { addFiles } from './-add-files.ts'
import { LibraryNav } from './-library-nav.tsx'

const Params = z.object({ library: z.guid() })

export const Route = createFileRoute('/_signed-in/l/$library')({
  params: { parse: (params) => Params.parse(params) },
  loader: ({ context: { queryClient }, params: { library } }) => {
    // Nothing waits for these, but they stand beside what is waited for.
    void queryClient.prefetchQuery(collectionsQuery(library))
    void queryClient.prefetchQuery(tagsQuery(library))
    void queryClient.prefetchQuery(membersQuery(library))
    return queryClient.query({ ...libraryQuery(library), staleTime: 'static' })
  },
  component: LibraryLayout,
})

function LibraryLayout() {
  const { library } = Route.useParams()
  const { collection } = useSearch({ strict: false })
  const { user } = useSession()
  const queryClient = useQueryClient()
  const { data } = useSuspenseQuery(libraryQuery(library))
  return (
    <LibraryLiveProvider key={library} library={library} person={user.id}>
      <DropZone onFiles={(files) => void addFiles(queryClient, files, { library, collection }).catch(sayFailure)}>
        <div className="flex flex-1 flex-col lg:flex-row">
          <LibraryNav library={library} name={data.name} />
          <main id="main" className="min-w-0 flex-1">
            <Outlet />
          </main>
        </div>
      </DropZone>
    </LibraryLiveProvider>
  )
}
