import { useMutation, useQuery, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DocumentGrid } from '../../features/documents/document-grid.tsx'
import { DocumentTable } from '../../features/documents/document-table.tsx'
import { EmptyShelf } from '../../features/documents/empty-shelf.tsx'
import { ShelfSearch } from '../../features/documents/filter.ts'
import { indexDocument, renameDocument, setDeleted } from '../../features/documents/mutations.ts'
import { type Card, collectionsQuery, shelfQuery, tagsQuery } from '../../features/documents/queries.ts'
import { ShelfToolbar } from '../../features/documents/shelf-toolbar.tsx'
import { ACCEPTED } from '../../features/uploads/limits.ts'
import { uploads } from '../../features/uploads/uploads.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useShortcut } from '../../lib/shortcut.ts'
import { say, sayFailure } from '../../lib/toast.ts'

export const Route = createFileRoute('/_signed-in/l/$library/')({
  validateSearch: ShelfSearch,
  loaderDeps: ({ search: { view, ...shelf } }) => shelf,
  loader: ({ context, params, deps }) =>
    context.queryClient.infiniteQuery({ ...shelfQuery(params.library, deps), staleTime: 'static' }),
  component: Shelf,
})

const NameDialog = lazy(() =>
  import('../../features/documents/name-dialog.tsx').then(({ NameDialog }) => ({ default: NameDialog })),
)
const NoteDialog = lazy(() =>
  import('../../features/documents/note-dialog.tsx').then(({ NoteDialog }) => ({ default: NoteDialog })),
)

function Shelf() {
  const { library } = Route.useParams()
  const search = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  const queryClient = useQueryClient()
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(shelfQuery(library, search))
  const { data: collections } = useQuery(collectionsQuery(library))
  const { data: tags } = useQuery(tagsQuery(library))
  // Undefined until the first note is begun, and the editor with it.
  const [writing, setWriting] = useState<boolean>()
  const [renaming, setRenaming] = useState<Card>()
  const picker = useRef<HTMLInputElement>(null)

  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.documents(library) })
  const indexing = useMutation({ ...indexDocument, onError: sayFailure, onSettled: refresh })
  const rename = useMutation({ ...renameDocument, onError: sayFailure, onSettled: refresh })
  const deletion = useMutation({ ...setDeleted, onError: sayFailure, onSettled: refresh })
  const remove = (document: Card) =>
    deletion.mutate(
      { document: document.id, deleted: true },
      {
        onSuccess: () =>
          say({
            title: `“${document.title}” is in the trash`,
            description: 'It stays there for 30 days.',
            action: { label: 'Undo', onClick: () => deletion.mutate({ document: document.id, deleted: false }) },
          }),
      },
    )
  const pick = () => picker.current?.click()
  useShortcut('u', pick)
  useShortcut('n', () => setWriting(true))
  useShortcut('/', () => void navigate({ to: '/l/$library/search', params: { library }, search: {} }))

  const place =
    collections?.find(({ id }) => id === search.collection)?.name ??
    tags?.find(({ id }) => id === search.tag)?.name ??
    'All documents'
  usePageTitle(place)

  const documents = data.pages.flatMap((page) => page.documents)
  const filtered = Boolean(search.collection ?? search.tag ?? search.kind)
  const Documents = search.view === 'list' ? DocumentTable : DocumentGrid
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8">
      <ShelfToolbar
        title={place}
        total={data.pages[0]?.total ?? 0}
        search={search}
        onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        onPick={pick}
        onWrite={() => setWriting(true)}
      />
      {documents.length > 0 ? (
        <Documents
          library={library}
          documents={documents}
          handlers={{ onIndex: ({ id }) => indexing.mutate(id), onRename: setRenaming, onDelete: remove }}
        />
      ) : (
        <EmptyShelf
          filtered={filtered}
          onClear={() => void navigate({ search: {} })}
          onPick={pick}
          onWrite={() => setWriting(true)}
        />
      )}
      {hasNextPage ? (
        <div className="grid justify-center py-8">
          <Button onClick={() => void fetchNextPage()} busy={isFetchingNextPage}>
            Show more
          </Button>
        </div>
      ) : null}
      <input
        ref={picker}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label="Files to add"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          uploads.add([...(event.target.files ?? [])], { library, collection: search.collection })
          // The same file may be picked again after it was taken off the list.
          event.target.value = ''
        }}
      />
      <Suspense fallback={null}>
        {writing !== undefined ? (
          <NoteDialog
            library={library}
            collection={search.collection}
            open={writing}
            onClose={() => setWriting(false)}
          />
        ) : null}
        {renaming ? (
          <NameDialog
            title="Rename"
            label="Title"
            initial={renaming.title}
            longest={300}
            action="Rename"
            onName={(title) => rename.mutate({ document: renaming.id, title })}
            onClose={() => setRenaming(undefined)}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
