import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useSearch } from '@tanstack/react-router'
import { showFailure } from '../../domain/failure-toast.ts'
import { isAtLeast } from '../../domain/roles.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { LibraryLiveProvider } from '../../features/live/library-live.tsx'
import { useRole } from '../../features/members/use-role.ts'
import { DropZone } from '../../features/uploads/drop-zone.tsx'
import { useSession } from '../../lib/session/use-session.ts'
import { addFiles } from './add-files.ts'
import { LibraryNav } from './library-nav.tsx'

const route = getRouteApi('/_signed-in/l/$library')

export function LibraryLayout() {
  const { library } = route.useParams()
  const { collection } = useSearch({ strict: false })
  const { user } = useSession()
  const queryClient = useQueryClient()
  const { data } = useSuspenseQuery(libraryQuery(library))
  const canEdit = isAtLeast(useRole(library), 'editor')
  return (
    <LibraryLiveProvider key={library} library={library} person={user.id}>
      {canEdit ? (
        <DropZone onFiles={(files) => void addFiles(queryClient, files, { library, collection }).catch(showFailure)} />
      ) : null}
      <div className="flex flex-1 flex-col lg:flex-row">
        <LibraryNav library={library} name={data.name} />
        <main id="main" className="min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
    </LibraryLiveProvider>
  )
}
