import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Skeleton } from '../../components/skeleton.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { colorOf } from '../../domain/highlight-colors.ts'
import { keys } from '../../domain/keys.ts'
import { isScan, recognitionLanguages } from '../../domain/recognition.ts'
import { readAgain } from '../../features/documents/mutations.ts'
import { isIndexing, useIndexingRefresh } from '../../features/documents/use-indexing-refresh.ts'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { useLibraryLive } from '../../features/live/library-live.tsx'
import { useRole } from '../../features/members/use-role.ts'
import { saveNote } from '../../features/notes/mutations.ts'
import { UnsavedNotice } from '../../features/notes/unsaved-notice.tsx'
import { useUnsavedText } from '../../features/notes/unsaved-text.ts'
import { useReadDocument } from '../../features/notifications/use-read-document.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import type { Anchor, Selected } from '../../features/reader/anchors.ts'
import { Comments } from '../../features/reader/comments/comments.tsx'
import { DocumentList } from '../../features/reader/document-list.tsx'
import { DocumentView } from '../../features/reader/document-view.tsx'
import { Highlights } from '../../features/reader/highlights/highlights.tsx'
import { addComment } from '../../features/reader/mutations.ts'
import { PassageCard } from '../../features/reader/passage-card.tsx'
import {
  backlinksQuery,
  commentsQuery,
  documentQuery,
  type OpenDocument,
  passageQuery,
  relatedQuery,
} from '../../features/reader/queries.ts'
import { setReadingOptions, useReadingOptions } from '../../features/reader/reading-options.ts'
import { withSavedVersion } from '../../features/reader/saved-version.ts'
import { SelectionMenu } from '../../features/reader/selection-menu.tsx'
import { useReadingPosition } from '../../features/reader/use-reading-position.ts'
import { useNoteOpened } from '../../features/recent/use-note-opened.ts'
import { ScanNotice } from '../../features/recognition/scan-notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { useMayEditIn } from '../library/use-may-edit-in.ts'
import { LINKS, useReferences } from '../library/use-references.tsx'
import { DocumentFacts } from './document-facts.tsx'
import { DocumentHeader } from './document-header.tsx'
import { DocumentTools } from './document-tools.tsx'
import { QuoteMenu } from './quote-menu.tsx'
import { useFollowing } from './use-following.ts'

const route = getRouteApi('/_signed-in/l/$library/d/$document')

const loadEditor = () =>
  import('../../features/notes/note-editor.tsx').then(({ NoteEditor }) => ({ default: NoteEditor }))
const NoteEditor = lazy(loadEditor)
const HoldControl = lazy(() =>
  import('../../features/retention/hold-control.tsx').then(({ HoldControl }) => ({ default: HoldControl })),
)
const VersionHistory = lazy(() =>
  import('../../features/notes/version-history.tsx').then(({ VersionHistory }) => ({ default: VersionHistory })),
)

export function DocumentScreen() {
  const { library, document: id } = route.useParams()
  const { passage: wantedPassage, quote, comment: wantedComment, q, follow, page: wantedPage } = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const { report } = useLibraryLive()
  const role = useRole(library)
  const canEdit = role === 'editor' || role === 'owner'
  const mayEditIn = useMayEditIn(library)
  const { data: document } = useSuspenseQuery(documentQuery(library, id))
  const { data: settings } = useQuery(libraryQuery(library))
  const references = useReferences(library)
  const { data: profile } = useQuery(profileQuery(user.id))
  const name = profile?.display_name ?? user.email ?? ''
  const { data: comments = [] } = useQuery(commentsQuery(library, id))
  const isPdf = document.version?.mime_type === 'application/pdf'
  // The words themselves are looked for in the text. In a PDF that takes their page; otherwise their passage knows it.
  const isQuoted = quote !== undefined && wantedPassage === undefined && (wantedPage !== undefined || !isPdf)
  const { data: found } = useQuery({
    ...passageQuery(library, id, { passage: wantedPassage, quote }),
    enabled: !isQuoted && (wantedPassage !== undefined || quote !== undefined),
  })
  const { data: backlinks = [] } = useQuery(backlinksQuery(library, id))
  const { data: related = [] } = useQuery(relatedQuery(library, id))
  const options = useReadingOptions()
  const article = useRef<HTMLElement>(null)
  const aside = useRef<HTMLElement>(null)
  const [page, setPage] = useState<number>()
  const [selected, setSelected] = useState<Selected>()
  const [commentAnchor, setCommentAnchor] = useState<Anchor>()
  const [editing, setEditing] = useState(false)
  const [history, setHistory] = useState(false)
  usePageTitle(document.title)
  useReadDocument(id)
  useNoteOpened(id)
  useEffect(() => {
    report({ document: id, page: page ?? null })
  }, [report, id, page])
  useEffect(() => () => report({ document: null, page: null }), [report])

  const openComment = comments.find((one) => one.id === wantedComment)
  const passage = found ?? undefined
  const anchor: Anchor | undefined = openComment?.quote
    ? { page: openComment.page, quote: openComment.quote, start: openComment.start_offset }
    : isQuoted
      ? { page: wantedPage ?? null, quote }
      : passage && { page: passage.page, quote: passage.content }
  const elsewhere = [wantedPassage, quote, wantedComment, follow, wantedPage].some((wanted) => wanted !== undefined)
  const lastPage = useReadingPosition({
    library,
    document: id,
    text: article,
    page,
    paged: isPdf,
    elsewhere,
  })
  const followed = useFollowing(library, id, follow)
  const setFollow = (person: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, follow: person }), replace: true })

  useIndexingRefresh(library, isIndexing(document), keys.document(library, id))
  const reading = useMutation({ ...readAgain, onError: showFailure })
  const highlighting = useMutation({ ...addComment, onError: showFailure })
  const isNote = document.kind === 'note'
  const canWrite = isNote && canEdit
  const unsaved = useUnsavedText(library, id, canWrite)
  // Writing must not depend on a network that may be gone by then.
  useEffect(() => {
    if (canWrite) void loadEditor().catch(() => undefined)
  }, [canWrite])
  useShortcut('e', () => canWrite && setEditing(true))
  const { has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const star = () =>
    toggleFavorite({
      library,
      document: { id, title: document.title, kind: document.kind, mime_type: document.version?.mime_type ?? null },
    })
  useShortcut('s', star)
  const comment = (anchor: Anchor) => {
    setReadingOptions({ details: true })
    setCommentAnchor(anchor)
  }
  const show = (comment: string) => void navigate({ search: (before) => ({ q: before.q, comment }) })
  const clearSelection = () => {
    getSelection()?.removeAllRanges()
    setSelected(undefined)
  }
  const note =
    isNote && document.version && document.version.body !== null
      ? { id, title: document.title, version: { id: document.version.id, body: document.version.body } }
      : undefined
  const queryClient = useQueryClient()
  // Where the channel is late, the text would be that of the version before.
  const showSaved = (note: string, saved: { id: string; body: string }) => {
    queryClient.setQueryData(
      documentQuery(library, note).queryKey,
      (before) => before && withSavedVersion(before, saved),
    )
    void queryClient.invalidateQueries({ queryKey: keys.document(library, note) })
  }
  const ticking = useMutation({ ...saveNote, onError: showFailure })
  const tick = async (index: number, count: number) => {
    if (!note || ticking.isPending) return
    const { toggleTask } = await import('../../features/notes/note-editor.tsx')
    const body = toggleTask(note.version.body, index, count)
    if (body === undefined) setEditing(true)
    else ticking.mutate({ library, note: id, body, basedOn: note.version.id })
  }

  return (
    <div
      className={classNames(
        'mx-auto grid w-full max-w-[84rem] grid-cols-1 gap-x-8 px-4 py-3 sm:px-8',
        options.details && 'xl:grid-cols-[minmax(0,1fr)_19rem]',
      )}
    >
      <article ref={article} className="min-w-0">
        <DocumentHeader
          library={library}
          document={document}
          q={q}
          canEdit={canEdit}
          canAsk={role !== undefined && role !== 'guest'}
          editing={editing}
          following={follow}
          onFollow={setFollow}
          isFavorite={isFavorite(id)}
          onStar={star}
          onReadAgain={() => reading.mutate({ library, id })}
          onEdit={() => setEditing(true)}
          onVersions={() => setHistory(true)}
          onDetails={() => aside.current?.scrollIntoView()}
        />
        {settings && (document.state === 'ready' || isScan(document)) ? (
          <ScanNotice
            library={library}
            document={document}
            left={pagesLeft(document.version)}
            isWithoutText={isScan(document)}
            isOn={recognitionLanguages(settings.recognition_languages).length > 0}
            canEdit={canEdit}
            canChangeSettings={role === 'owner'}
          />
        ) : null}
        {unsaved && note && !editing ? (
          <UnsavedNotice unsaved={unsaved} version={note.version} onOpen={() => setEditing(true)} />
        ) : null}
        {editing && note ? (
          <Suspense fallback={<Skeleton className="mx-auto h-40 max-w-[44rem]" />}>
            <NoteEditor
              library={library}
              note={note}
              name={name}
              references={references}
              canWrite={canEdit}
              onSaved={showSaved}
              onClose={() => setEditing(false)}
            />
          </Suspense>
        ) : (
          <DocumentView
            library={library}
            document={document}
            anchor={anchor}
            remarks={comments.flatMap(({ quote, page, start_offset: start, resolved_at, body, color }) =>
              quote && !resolved_at
                ? [{ quote, page, start, ...(body === '' ? { color: colorOf(color).value } : {}) }]
                : [],
            )}
            onSelect={setSelected}
            drawLink={LINKS.card}
            onTick={canWrite && note && !unsaved ? tick : undefined}
            onPage={setPage}
            goTo={followed ?? wantedPage ?? (elsewhere ? undefined : lastPage)}
          />
        )}
      </article>
      <aside
        ref={aside}
        aria-label={t('About this document')}
        className={classNames(
          options.details || 'xl:hidden',
          'mt-10 grid grid-cols-1 content-start gap-8 border-line border-t pt-6 xl:sticky xl:top-20 xl:mt-0 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto xl:border-t-0 xl:border-s xl:pt-0 xl:ps-6',
        )}
      >
        {passage ? <PassageCard passage={passage} /> : null}
        <Comments
          library={library}
          document={id}
          person={user.id}
          people={references.people()}
          anchor={commentAnchor ?? (passage && { page: passage.page, quote: passage.content, passage: passage.id })}
          open={wantedComment}
          onAnchorUsed={() => setCommentAnchor(undefined)}
          onShow={show}
        />
        <Highlights
          library={library}
          document={document}
          person={user.id}
          comments={comments}
          open={wantedComment}
          onShow={show}
          onComment={comment}
        />
        <DocumentFacts library={library} document={document} canEdit={mayEditIn(document.collection?.id)} />
        <DocumentTools library={library} document={document} canEdit={canEdit} />
        <Suspense fallback={null}>
          <HoldControl library={library} document={id} isOwner={role === 'owner'} />
        </Suspense>
        <DocumentList library={library} heading={t('Linked from')} documents={backlinks} />
        <DocumentList
          library={library}
          heading={t('Close to this')}
          documents={related.map(({ document_id, title }) => ({ id: document_id, title }))}
        />
      </aside>
      {selected && !editing ? (
        <SelectionMenu
          selected={selected}
          onHighlight={(color) => {
            highlighting.mutate({ id: crypto.randomUUID(), library, document: id, body: '', anchor: selected, color })
            clearSelection()
          }}
          onComment={() => {
            comment({ page: selected.page, quote: selected.quote, start: selected.start ?? null })
            clearSelection()
          }}
        >
          {canEdit ? (
            <QuoteMenu library={library} document={document} anchor={selected} onDone={clearSelection} />
          ) : null}
        </SelectionMenu>
      ) : null}
      <Suspense fallback={null}>
        {history && note ? (
          <VersionHistory library={library} note={note} canEdit={canEdit} onClose={() => setHistory(false)} />
        ) : null}
      </Suspense>
    </div>
  )
}

/** How many pages without text nobody has recognized yet. */
function pagesLeft(version: OpenDocument['version']): number {
  const recognized = new Set(version?.recognized_pages.map(({ page }) => page))
  return version?.pages_without_text?.filter((page) => !recognized.has(page)).length ?? 0
}
