import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { Skeleton } from '../../components/skeleton.tsx'
import { indexDocument } from '../../features/documents/mutations.ts'
import { usePickedUp } from '../../features/documents/use-picked-up.ts'
import { useLibraryLive } from '../../features/live/library-live.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import type { Anchor, Selected } from '../../features/reader/anchors.ts'
import { Comments } from '../../features/reader/comments.tsx'
import { DocumentView } from '../../features/reader/document-view.tsx'
import { addComment } from '../../features/reader/mutations.ts'
import { PassageCard } from '../../features/reader/passage-card.tsx'
import { commentsQuery, documentQuery, passageQuery, relatedQuery } from '../../features/reader/queries.ts'
import { RelatedList } from '../../features/reader/related-list.tsx'
import { SelectionMenu } from '../../features/reader/selection-menu.tsx'
import { useReadingPosition } from '../../features/reader/use-reading-position.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useShortcut } from '../../lib/shortcut.ts'
import { sayFailure } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'
import { DocumentHeader } from './-document-header.tsx'
import { useFollowing } from './-following.ts'
import { useRole } from './-role.ts'

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)
const Params = z.object({ document: z.guid() })

export const Route = createFileRoute('/_signed-in/l/$library/d/$document')({
  params: { parse: ({ document }) => Params.parse({ document }) },
  validateSearch: z.object({
    passage: absent(z.guid()),
    /** Words of the passage: they find it when its id is gone. */
    quote: absent(z.coerce.string()),
    comment: absent(z.guid()),
    /** The search that led here. */
    q: absent(z.coerce.string()),
    /** A person whose place is followed. */
    follow: absent(z.guid()),
  }),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...documentQuery(params.library, params.document), staleTime: 'static' }),
  // Another document is another reader: nothing of the one before stays.
  remountDeps: ({ params }) => params,
  component: Reader,
})

const NoteEditor = lazy(() =>
  import('../../features/notes/note-editor.tsx').then(({ NoteEditor }) => ({ default: NoteEditor })),
)
const VersionHistory = lazy(() =>
  import('../../features/notes/version-history.tsx').then(({ VersionHistory }) => ({ default: VersionHistory })),
)

function Reader() {
  const { library, document: id } = Route.useParams()
  const { passage: wanted, quote, comment: wantedComment, q, follow } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  const queryClient = useQueryClient()
  const { user } = useSession()
  const { report } = useLibraryLive()
  const role = useRole(library)
  const canEdit = role === 'editor' || role === 'owner'
  const { data: document } = useSuspenseQuery(documentQuery(library, id))
  const { data: members = [] } = useQuery(membersQuery(library))
  const { data: comments = [] } = useQuery(commentsQuery(library, id))
  const { data: found } = useQuery({
    ...passageQuery(library, id, { passage: wanted, quote }),
    enabled: wanted !== undefined || quote !== undefined,
  })
  const { data: related = [] } = useQuery(relatedQuery(library, id))
  const [page, setPage] = useState<number>()
  const [selected, setSelected] = useState<Selected>()
  const [about, setAbout] = useState<Anchor>()
  const [editing, setEditing] = useState(false)
  const [history, setHistory] = useState(false)
  usePageTitle(document.title)
  useEffect(() => {
    report({ document: id, page: page ?? null })
  }, [report, id, page])
  useEffect(() => () => report({ document: null, page: null }), [report])

  const remarked = comments.find((one) => one.id === wantedComment)
  const passage = found ?? undefined
  const anchor: Anchor | undefined = remarked?.quote
    ? { page: remarked.page, quote: remarked.quote }
    : passage && { page: passage.page, quote: passage.content }
  const elsewhere = wanted !== undefined || quote !== undefined || wantedComment !== undefined || follow !== undefined
  const lastPage = useReadingPosition({
    library,
    document: id,
    page,
    paged: document.version?.mime_type === 'application/pdf',
    elsewhere,
  })
  const followed = useFollowing(library, id, follow)
  const setFollow = (person: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, follow: person }), replace: true })

  const refresh = () => void queryClient.invalidateQueries({ queryKey: keys.document(library, id) })
  usePickedUp([document], canEdit, refresh)
  const indexing = useMutation({ ...indexDocument, onError: sayFailure, onSettled: refresh })
  const highlighting = useMutation({ ...addComment, onError: sayFailure, onSettled: refresh })
  const index = () => indexing.mutate(document)
  const isNote = document.kind === 'note'
  useShortcut('e', () => isNote && canEdit && setEditing(true))
  const clearSelection = () => {
    getSelection()?.removeAllRanges()
    setSelected(undefined)
  }
  const isPdf = document.version?.mime_type === 'application/pdf'
  const note =
    isNote && document.version && document.version.body !== null
      ? { id, title: document.title, version: { id: document.version.id, body: document.version.body } }
      : undefined

  return (
    <div className="mx-auto grid w-full max-w-[84rem] grid-cols-1 gap-x-10 px-4 py-6 sm:px-8 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <article className={isPdf ? 'min-w-0' : 'mx-auto w-full min-w-0 max-w-[44rem]'}>
        <DocumentHeader
          library={library}
          document={document}
          q={q}
          page={page}
          canEdit={canEdit}
          editing={editing}
          following={follow}
          onFollow={setFollow}
          onIndex={index}
          onEdit={() => setEditing(true)}
          onVersions={() => setHistory(true)}
        />
        {editing && note ? (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <NoteEditor library={library} note={note} onVersion={index} onClose={() => setEditing(false)} />
          </Suspense>
        ) : (
          <DocumentView
            document={document}
            anchor={anchor}
            remarks={comments.flatMap(({ quote, page, resolved_at }) =>
              quote && !resolved_at ? [{ quote, page }] : [],
            )}
            onSelect={setSelected}
            onPage={setPage}
            goTo={followed ?? (elsewhere ? undefined : lastPage)}
          />
        )}
      </article>
      <aside
        aria-label={t('About this document')}
        className="mt-10 grid grid-cols-1 content-start gap-8 border-line border-t pt-6 xl:sticky xl:top-20 xl:mt-0 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto xl:border-t-0 xl:border-l xl:pt-0 xl:pl-6"
      >
        {passage ? <PassageCard passage={passage} /> : null}
        <Comments
          library={library}
          document={id}
          person={user.id}
          people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
          about={about ?? (passage && { page: passage.page, quote: passage.content, passage: passage.id })}
          open={wantedComment}
          onAbout={setAbout}
          onShow={(comment) => void navigate({ search: (before) => ({ q: before.q, comment }) })}
        />
        <RelatedList library={library} documents={related} />
      </aside>
      {selected && !editing ? (
        <SelectionMenu
          selected={selected}
          onHighlight={() => {
            highlighting.mutate({ id: crypto.randomUUID(), library, document: id, body: '', anchor: selected })
            clearSelection()
          }}
          onComment={() => {
            setAbout({ page: selected.page, quote: selected.quote })
            clearSelection()
          }}
        />
      ) : null}
      <Suspense fallback={null}>
        {history && note ? (
          <VersionHistory
            library={library}
            note={note}
            canEdit={canEdit}
            onVersion={index}
            onClose={() => setHistory(false)}
          />
        ) : null}
      </Suspense>
    </div>
  )
}
