import { useQuery, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { createFileRoute, retainSearchParams, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { CollectionPath } from '../../features/collections/collection-path.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { flatten, pathTo, treeOf } from '../../features/collections/tree.ts'
import { DocumentGrid } from '../../features/documents/document-grid.tsx'
import { DocumentTable } from '../../features/documents/document-table.tsx'
import { EmptyShelf } from '../../features/documents/empty-shelf.tsx'
import { ShelfSearch } from '../../features/documents/filter.ts'
import { type Card, shelfQuery } from '../../features/documents/queries.ts'
import { SelectionBar } from '../../features/documents/selection-bar.tsx'
import { ShelfToolbar } from '../../features/documents/shelf-toolbar.tsx'
import { usePastedText } from '../../features/documents/use-pasted-text.ts'
import { usePickedUp } from '../../features/documents/use-picked-up.ts'
import { useSelection } from '../../features/documents/use-selection.ts'
import { counted, useShelfActions } from '../../features/documents/use-shelf-actions.ts'
import { webAddress } from '../../features/documents/web-address.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { fromPicker } from '../../features/uploads/dropped.ts'
import { FilePickers } from '../../features/uploads/file-pickers.tsx'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useShortcut } from '../../lib/shortcut.ts'
import { sayFailure } from '../../lib/toast.ts'
import { addFiles } from './-add-files.ts'
import { useRole } from './-role.ts'

export const Route = createFileRoute('/_signed-in/l/$library/')({
  validateSearch: ShelfSearch,
  // From one shelf to the next the way of looking stays.
  search: { middlewares: [retainSearchParams(['view', 'sort'])] },
  loaderDeps: ({ search: { view, ...shelf } }) => shelf,
  loader: ({ context, params, deps }) =>
    context.queryClient.infiniteQuery({ ...shelfQuery(params.library, deps), staleTime: 'static' }),
  component: Shelf,
})

const NameDialog = lazy(() => import('../../components/name-dialog.tsx').then((it) => ({ default: it.NameDialog })))
const NoteDialog = lazy(() =>
  import('../../features/documents/note-dialog.tsx').then((it) => ({ default: it.NoteDialog })),
)
const LinkDialog = lazy(() =>
  import('../../features/documents/link-dialog.tsx').then((it) => ({ default: it.LinkDialog })),
)
const CollectionPicker = lazy(() =>
  import('../../features/collections/collection-picker.tsx').then((it) => ({ default: it.CollectionPicker })),
)
const TagPicker = lazy(() => import('../../features/tags/tag-picker.tsx').then((it) => ({ default: it.TagPicker })))

/** What is being asked for in a dialog, and about which documents. */
type Asking = { about: 'name'; document: Card } | { about: 'home' | 'tags'; documents: readonly Card[] }

function Shelf() {
  const { library } = Route.useParams()
  const search = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  const queryClient = useQueryClient()
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(shelfQuery(library, search))
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: tags } = useQuery(tagsQuery(library))
  const { data: members = [] } = useQuery(membersQuery(library))
  const role = useRole(library)
  const canEdit = role === 'editor' || role === 'owner'
  const actions = useShelfActions(library)
  // Undefined until the first note is begun, and the editor with it.
  const [writing, setWriting] = useState<{ open: boolean; pasted?: string }>()
  const [linking, setLinking] = useState<string>()
  const [asking, setAsking] = useState<Asking>()
  const pickers = useRef<FilePickers>(null)

  const documents = data.pages.flatMap((page) => page.documents)
  usePickedUp(documents, canEdit, () => void queryClient.invalidateQueries({ queryKey: keys.documents(library) }))
  const selection = useSelection(documents.map(({ id }) => id))
  const selected = documents.filter(({ id }) => selection.has(id))
  const pick = () => pickers.current?.pickFiles()
  const write = () => setWriting({ open: true })
  useShortcut('u', () => canEdit && pick())
  useShortcut('n', () => canEdit && write())
  useShortcut('l', () => canEdit && setLinking(''))
  useShortcut('/', () => void navigate({ to: '/l/$library/search', params: { library }, search: {} }))
  usePastedText((text) => {
    if (!canEdit) return
    if (/^\s*https?:/i.test(text) && webAddress(text)) setLinking(text.trim())
    else setWriting({ open: true, pasted: text })
  })
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])

  const place =
    collections.find(({ id }) => id === search.collection)?.name ??
    tags?.find(({ id }) => id === search.tag)?.name ??
    t('All documents')
  usePageTitle(place)

  const { view, sort, ...filters } = search
  const Documents = view === 'list' ? DocumentTable : DocumentGrid
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8">
      <ShelfToolbar
        title={place}
        above={<CollectionPath library={library} path={pathTo(collections, search.collection).slice(0, -1)} />}
        total={data.pages[0]?.total ?? null}
        people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
        canEdit={canEdit}
        search={search}
        onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        onPick={pick}
        onPickFolder={() => pickers.current?.pickFolder()}
        onWrite={write}
        onLink={() => setLinking('')}
      />
      {documents.length > 0 ? (
        <Documents
          library={library}
          documents={documents}
          canEdit={canEdit}
          selection={selection}
          hasMore={hasNextPage}
          onMore={more}
          handlers={{
            onIndex: actions.index,
            onRename: (document) => setAsking({ about: 'name', document }),
            onMove: (document) => setAsking({ about: 'home', documents: [document] }),
            onTag: (document) => setAsking({ about: 'tags', documents: [document] }),
            onDelete: (document) => actions.trash([document]),
          }}
        />
      ) : (
        <EmptyShelf
          filtered={Object.values(filters).some((filter) => filter !== undefined)}
          canEdit={canEdit}
          onClear={() => void navigate({ search: {} })}
          onPick={pick}
          onWrite={write}
        />
      )}
      {isFetchingNextPage ? (
        <p role="status" className="py-8 text-center text-ink-faint text-sm">
          {t('More are coming…')}
        </p>
      ) : null}
      {selected.length > 0 ? (
        <SelectionBar
          count={selected.length}
          onMove={() => setAsking({ about: 'home', documents: selected })}
          onTag={() => setAsking({ about: 'tags', documents: selected })}
          onTrash={() => actions.trash(selected)}
          onClear={selection.clear}
        />
      ) : null}
      <FilePickers
        ref={pickers}
        onFiles={(files) =>
          void addFiles(queryClient, fromPicker(files), { library, collection: search.collection }).catch(sayFailure)
        }
      />
      <Suspense fallback={null}>
        {writing ? (
          <NoteDialog
            key={writing.pasted}
            library={library}
            collection={search.collection}
            open={writing.open}
            pasted={writing.pasted}
            onClose={() => setWriting({ ...writing, open: false })}
          />
        ) : null}
        {linking === undefined ? null : (
          <LinkDialog
            library={library}
            collection={search.collection}
            initial={linking}
            onClose={() => setLinking(undefined)}
          />
        )}
        {asking?.about === 'name' ? (
          <NameDialog
            title={t('Rename')}
            label={t('Title')}
            initial={asking.document.title}
            longest={300}
            action={t('Rename')}
            onName={(title) => actions.rename(asking.document.id, title)}
            onClose={() => setAsking(undefined)}
          />
        ) : null}
        {asking?.about === 'home' ? (
          <CollectionPicker
            title={t('{count, plural, =1 {Move “{title}” to} other {Move # documents to}}', counted(asking.documents))}
            top={t('No collection')}
            homes={flatten(treeOf(collections))}
            onPick={(id) => actions.put(asking.documents, collections.find((one) => one.id === id) ?? null)}
            onClose={() => setAsking(undefined)}
          />
        ) : null}
        {asking?.about === 'tags' ? (
          <TagPicker
            library={library}
            title={t('{count, plural, =1 {Tags of “{title}”} other {Tags of # documents}}', counted(asking.documents))}
            documents={asking.documents}
            onClose={() => setAsking(undefined)}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
