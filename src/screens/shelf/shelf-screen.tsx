import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { isAtLeast } from '../../domain/roles.ts'
import { type CollectionRow as Collection, collectionsQuery } from '../../features/collections/queries.ts'
import { canGroup } from '../../features/documents/board/board-columns.ts'
import { IndexingProgress } from '../../features/documents/indexing-progress.tsx'
import { shelfQuery } from '../../features/documents/queries.ts'
import { withDefaultSort } from '../../features/documents/shelf/shelf-search.ts'
import { type Member, membersQuery } from '../../features/members/queries.ts'
import { sampleOf } from '../../features/transfer/paths.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { useMayEditIn } from '../library/use-may-edit-in.ts'
import type { FieldTask } from './field-dialogs.tsx'
import { ShelfDocuments } from './shelf-documents.tsx'
import { ShelfHead } from './shelf-head.tsx'
import { useAddDocuments } from './use-add-documents.tsx'
import { useFieldList } from './use-field-list.tsx'

const route = getRouteApi('/_signed-in/l/$library/')

const WelcomePanel = lazy(() =>
  import('../../features/libraries/welcome-panel.tsx').then((it) => ({ default: it.WelcomePanel })),
)
const SampleNotice = lazy(() => import('./first-steps.tsx').then((it) => ({ default: it.SampleNotice })))
const FieldDialogs = lazy(() => import('./field-dialogs.tsx').then((it) => ({ default: it.FieldDialogs })))

const ShelfRequests = lazy(() => import('./shelf-requests.tsx').then((it) => ({ default: it.ShelfRequests })))

// Stable objects, so that rows don't rerender.
const NO_COLLECTIONS: Collection[] = []
const NO_MEMBERS: Member[] = []

export function ShelfScreen() {
  const { library } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const { data: collections = NO_COLLECTIONS } = useQuery(collectionsQuery(library))
  const ordered = withDefaultSort(search, collections)
  const { data } = useSuspenseInfiniteQuery(shelfQuery(library, ordered))
  const total = data.pages[0]?.total ?? null
  const { data: members = NO_MEMBERS } = useQuery(membersQuery(library))
  const membership = members.find(({ user_id }) => user_id === user.id)
  const role = membership?.role
  const canEdit = isAtLeast(role, 'editor')
  const mayEditHere = useMayEditIn(library)(search.collection)
  const collection = collections.find(({ id }) => id === search.collection)
  const [isRequesting, setRequesting] = useState(false)
  const [fieldTask, setFieldTask] = useState<FieldTask>()
  const adding = useAddDocuments(library, search.collection, mayEditHere)
  useShortcut('g s', () => void navigate({ to: '/l/$library/search', params: { library }, search: {} }))
  const collectionNames = useMemo(() => new Map(collections.map(({ id, name }) => [id, name])), [collections])
  const people = useMemo(
    () => members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
    [members],
  )
  const list = useFieldList({ library, collection: search.collection, collectionNames, people, canEdit: mayEditHere })
  const { view, sort, group: chosen, collection: _, ...filters } = search
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined)
  const groups = view === 'board' ? list.fields.filter(canGroup) : []
  const group = groups.find(({ id }) => id === chosen) ?? groups[0]
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  return (
    <div className="w-full max-w-[120rem] px-4 py-6 sm:px-8">
      {membership?.is_new ? (
        <Suspense fallback={null}>
          <WelcomePanel
            library={library}
            role={membership.role}
            documents={total}
            collections={collections.length}
            people={members.length}
            onPick={adding.pick}
          />
        </Suspense>
      ) : null}
      <ShelfHead
        library={library}
        search={ordered}
        total={total}
        isFiltered={isFiltered}
        collections={collections}
        people={people}
        list={list}
        adding={adding}
        group={group}
        mayEditHere={mayEditHere}
        mayMakeCollections={canEdit}
        onSearch={change}
        onTask={setFieldTask}
        onRequest={() => setRequesting(true)}
      />
      <IndexingProgress
        library={library}
        canEdit={canEdit}
        onShowFailed={() => void navigate({ search: { state: 'failed' } })}
      />
      <Suspense fallback={null}>
        {canEdit && search.collection === sampleOf(library) ? <SampleNotice library={library} /> : null}
      </Suspense>
      <Suspense fallback={null}>
        {collection && mayEditHere ? (
          <ShelfRequests
            library={library}
            collection={collection}
            isOpen={isRequesting}
            onClose={() => setRequesting(false)}
          />
        ) : null}
      </Suspense>
      <ShelfDocuments
        library={library}
        search={ordered}
        isFiltered={isFiltered}
        collection={collection}
        list={list}
        adding={adding}
        group={group}
        people={people}
        mayEditHere={mayEditHere}
        canEdit={canEdit}
        isOwner={role === 'owner'}
        mayAsk={role !== 'guest'}
        onSort={search.collection ? (sort) => void navigate({ search: (before) => ({ ...before, sort }) }) : undefined}
        onClear={() => void navigate({ search: search.collection ? { collection: search.collection } : {} })}
        onFill={(documents) => setFieldTask({ fill: documents })}
      />
      {adding.dialogs}
      <Suspense fallback={<Opening />}>
        {fieldTask && collection ? (
          <FieldDialogs
            task={fieldTask}
            library={library}
            collection={collection}
            fields={list.fields}
            people={people}
            view={list.view}
            onColumns={list.setView}
            onSet={list.setField}
            onClose={() => setFieldTask(undefined)}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
