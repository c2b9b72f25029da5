import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Columns2, Settings2 } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { FieldFilter } from '../../domain/field-filter.ts'
import { fieldOrders } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { CollectionPath } from '../../features/collections/collection-path.tsx'
import { type CollectionRow as Collection, collectionsQuery } from '../../features/collections/queries.ts'
import { pathTo } from '../../features/collections/tree.ts'
import { IndexingProgress } from '../../features/documents/indexing-progress.tsx'
import { shelfQuery } from '../../features/documents/queries.ts'
import type { DocumentHandlers } from '../../features/documents/shelf/document-actions.tsx'
import type { ShelfProps } from '../../features/documents/shelf/document-card.tsx'
import { DocumentGrid } from '../../features/documents/shelf/document-grid.tsx'
import { DocumentTable } from '../../features/documents/shelf/document-table.tsx'
import { EmptyShelf } from '../../features/documents/shelf/empty-shelf.tsx'
import { withDefaultSort } from '../../features/documents/shelf/shelf-search.ts'
import { ShelfToolbar } from '../../features/documents/shelf/shelf-toolbar.tsx'
import { useSelection } from '../../features/documents/shelf/use-selection.ts'
import { useShelfActions } from '../../features/documents/shelf/use-shelf-actions.ts'
import { facetsQuery } from '../../features/documents/title-queries.ts'
import { isIndexing, useIndexingRefresh } from '../../features/documents/use-indexing-refresh.ts'
import { StarButton } from '../../features/favorites/star-button.tsx'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { type Member, membersQuery } from '../../features/members/queries.ts'
import { positionsQuery } from '../../features/reader/queries.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { useMayEditIn } from '../library/use-may-edit-in.ts'
import type { Arrangement } from './arrange-dialog.tsx'
import type { FieldTask } from './field-dialogs.tsx'
import { KeepOffline } from './keep-offline.tsx'
import { ShelfSelection } from './shelf-selection.tsx'
import { useAddDocuments } from './use-add-documents.tsx'
import { useFieldList } from './use-field-list.tsx'

const route = getRouteApi('/_signed-in/l/$library/')

const WelcomePanel = lazy(() =>
  import('../../features/libraries/welcome-panel.tsx').then((it) => ({ default: it.WelcomePanel })),
)
const ArrangeDialog = lazy(() => import('./arrange-dialog.tsx').then((it) => ({ default: it.ArrangeDialog })))

const FieldDialogs = lazy(() => import('./field-dialogs.tsx').then((it) => ({ default: it.FieldDialogs })))
const FieldFilterList = lazy(() =>
  import('../../features/fields/field-filter-list.tsx').then((it) => ({ default: it.FieldFilterList })),
)

// The same objects each time, so that rows are not rendered again.
const NO_COLLECTIONS: Collection[] = []
const NO_MEMBERS: Member[] = []

/** Milliseconds between two times that the shelf is fetched while documents are read: the channel tells each change. */
const REFRESH_PACE = 30_000

export function ShelfScreen() {
  const { library } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: collections = NO_COLLECTIONS } = useQuery(collectionsQuery(library))
  const ordered = withDefaultSort(search, collections)
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    shelfQuery(library, ordered),
  )
  const { data: tags } = useQuery(tagsQuery(library))
  const { data: members = NO_MEMBERS } = useQuery(membersQuery(library))
  const { data: positions = [] } = useQuery(positionsQuery(library))
  const { data: facets } = useQuery(facetsQuery(library))
  const { user } = useSession()
  const membership = members.find(({ user_id }) => user_id === user.id)
  const role = membership?.role
  const canEdit = role === 'editor' || role === 'owner'
  const mayEditHere = useMayEditIn(library)(search.collection)
  const actions = useShelfActions(library)
  const { favorites, has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const collection = collections.find(({ id }) => id === search.collection)
  const starCollection = () => collection && toggleFavorite({ library, collection })
  const [arrangement, setArrangement] = useState<Arrangement>()
  const [fieldTask, setFieldTask] = useState<FieldTask>()
  const adding = useAddDocuments(library, search.collection, canEdit)

  const documents = useMemo(() => data.pages.flatMap((page) => page.documents), [data.pages])
  useIndexingRefresh(library, documents.some(isIndexing), keys.documents(library), REFRESH_PACE)
  const selection = useSelection(documents.map(({ id }) => id))
  const selected = documents.filter(({ id }) => selection.has(id))
  useShortcut('s', () => {
    const focused = globalThis.document.activeElement?.closest('article, tr')?.querySelector('[data-document]')
    const document = documents.find(({ id }) => id === focused?.getAttribute('data-document'))
    if (document) toggleFavorite({ library, document })
    else starCollection()
  })
  useShortcut('/', () => void navigate({ to: '/l/$library/search', params: { library }, search: {} }))
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])

  const handlers = useMemo(
    (): DocumentHandlers => ({
      onReadAgain: actions.readAgain,
      onStar: (document) => toggleFavorite({ library, document }),
      onRename: (document) => setArrangement({ kind: 'rename', document }),
      onMove: (document) => setArrangement({ kind: 'move', documents: [document] }),
      onTag: (document) => setArrangement({ kind: 'tag', documents: [document] }),
      onDelete: (document) => actions.trash([document]),
    }),
    [actions, library, toggleFavorite],
  )
  const collectionNames = useMemo(() => new Map(collections.map(({ id, name }) => [id, name])), [collections])
  const people = useMemo(
    () => members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
    [members],
  )
  const list = useFieldList({
    library,
    collection: search.collection,
    collectionNames,
    people,
    canEdit: mayEditHere,
  })
  const place = collection?.name ?? tags?.find(({ id }) => id === search.tag)?.name ?? t('All documents')
  usePageTitle(place)

  const { view, sort, ...filters } = search
  const filterByFields = (fields: FieldFilter[] | undefined) =>
    void navigate({ search: (before) => ({ ...before, fields }), replace: true })
  const shelf: ShelfProps = {
    library,
    documents,
    canEdit,
    selection,
    favorites: new Set(favorites.flatMap(({ document }) => document?.id ?? [])),
    positions: new Map(positions.map((position) => [position.document_id, position])),
    hasMore: hasNextPage,
    onMore: more,
    handlers,
  }
  return (
    <div className="mx-auto w-full max-w-[120rem] px-4 py-6 sm:px-8">
      {membership?.is_new ? (
        <Suspense fallback={null}>
          <WelcomePanel
            library={library}
            role={membership.role}
            documents={data.pages[0]?.total ?? null}
            collections={collections.length}
            people={members.length}
            onPick={adding.pick}
          />
        </Suspense>
      ) : null}
      <ShelfToolbar
        title={place}
        above={<CollectionPath library={library} path={pathTo(collections, search.collection).slice(0, -1)} />}
        total={data.pages[0]?.total ?? null}
        aside={
          search.collection ? (
            <>
              {collection ? <StarButton isFavorite={isFavorite(collection.id)} onToggle={starCollection} /> : null}
              <KeepOffline library={library} collection={search.collection} />
              {mayEditHere ? (
                <Button look="quiet" size="small" onClick={() => setFieldTask('fields')}>
                  <Settings2 aria-hidden />
                  {t('Fields…')}
                </Button>
              ) : null}
              {view === 'list' ? (
                <Button look="quiet" size="small" onClick={() => setFieldTask('columns')}>
                  <Columns2 aria-hidden />
                  {t('Columns…')}
                </Button>
              ) : null}
            </>
          ) : null
        }
        people={people}
        fields={
          list.fields.length > 0
            ? {
                orders: fieldOrders(list.fields),
                set: search.fields?.length ?? 0,
                onOpen: () => setFieldTask('filters'),
                list: (
                  <Suspense fallback={null}>
                    <FieldFilterList
                      fields={list.fields}
                      people={people}
                      filters={search.fields}
                      onFilters={filterByFields}
                    />
                  </Suspense>
                ),
              }
            : undefined
        }
        authors={facets?.authors.map(({ name }) => name) ?? []}
        years={facets?.years.map(({ year }) => year) ?? []}
        canEdit={canEdit}
        search={ordered}
        onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        onPick={adding.pick}
        onPickFolder={adding.pickFolder}
        onWrite={adding.write}
        onLink={adding.link}
      />
      <IndexingProgress library={library} />
      {documents.length > 0 ? (
        view === 'list' ? (
          <DocumentTable
            key={search.collection}
            {...shelf}
            columns={list.columns}
            sort={ordered.sort}
            onSort={
              search.collection ? (sort) => void navigate({ search: (before) => ({ ...before, sort }) }) : undefined
            }
            onResize={search.collection ? list.resize : undefined}
          />
        ) : (
          <DocumentGrid {...shelf} />
        )
      ) : (
        <EmptyShelf
          filtered={Object.values(filters).some((filter) => filter !== undefined)}
          canEdit={canEdit}
          onClear={() => void navigate({ search: {} })}
          onPick={adding.pick}
          onWrite={adding.write}
        />
      )}
      {isFetchingNextPage ? (
        <p role="status" className="py-8 text-center text-ink-faint text-sm">
          {t('Loading more…')}
        </p>
      ) : null}
      <ShelfSelection
        library={library}
        selected={selected}
        mayAsk={role !== 'guest'}
        onMove={() => setArrangement({ kind: 'move', documents: selected })}
        onTag={() => setArrangement({ kind: 'tag', documents: selected })}
        onFill={list.fields.length > 0 ? () => setFieldTask({ fill: selected.map(({ id }) => id) }) : undefined}
        onTrash={() => actions.trash(selected)}
        onClear={selection.clear}
      />
      {adding.dialogs}
      <Suspense fallback={null}>
        {fieldTask && collection ? (
          <FieldDialogs
            task={fieldTask}
            library={library}
            collection={collection}
            fields={list.fields}
            people={people}
            filters={search.fields}
            view={list.view}
            onFilters={filterByFields}
            onColumns={list.setView}
            onSet={list.setField}
            onClose={() => setFieldTask(undefined)}
          />
        ) : null}
        {arrangement ? (
          <ArrangeDialog
            library={library}
            arrangement={arrangement}
            actions={actions}
            onClose={() => setArrangement(undefined)}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
