import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useAction } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { isScan } from '../../domain/recognition.ts'
import { isIndexing, useIndexingRefresh } from '../../features/documents/use-indexing-refresh.ts'
import { useRole } from '../../features/members/use-role.ts'
import { useReadDocument } from '../../features/notifications/use-marking.ts'
import type { Anchor, Selected } from '../../features/reader/anchors.ts'
import { addComment } from '../../features/reader/mutations.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { documentQuery } from '../../features/reader/queries.ts'
import { ReaderTools } from '../../features/reader/reader-frame.tsx'
import { setReadingOptions, useReadingOptions } from '../../features/reader/reading-options.ts'
import { SelectionMenu } from '../../features/reader/selection-menu.tsx'
import { useNoteOpened } from '../../features/recent/use-note-opened.ts'
import { ScanNotice } from '../../features/recognition/scan-notice.tsx'
import { classNames } from '../../lib/ui/class-names.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { useDocumentFocus, useShortcut } from '../../lib/ui/shortcut.ts'
import { awaitField } from '../../lib/ui/typed-ahead.ts'
import { useMayEditIn } from '../library/use-may-edit-in.ts'
import { useArranging } from '../shelf/use-arranging.tsx'
import { DocumentAside } from './document-aside.tsx'
import { DocumentHeader } from './document-header.tsx'
import { hasText, isPdf, noteOf, pagesLeft, writtenNoteOf } from './document-model.ts'
import { QuoteMenu } from './quote-menu.tsx'
import { TextPanel } from './text-panel.tsx'

const route = getRouteApi('/_signed-in/l/$library/d/$document')

const ChangePanel = lazy(() => import('./change-panel.tsx').then(({ ChangePanel }) => ({ default: ChangePanel })))
const ApprovedChange = lazy(() =>
  import('../../features/approval/approved-change.tsx').then((it) => ({ default: it.ApprovedChange })),
)
const VersionHistory = lazy(() =>
  import('../../features/notes/version-history.tsx').then(({ VersionHistory }) => ({ default: VersionHistory })),
)

const ReadAloud = lazy(() =>
  import('../../features/reader/aloud/read-aloud.tsx').then(({ ReadAloud }) => ({ default: ReadAloud })),
)

/** Text is either edited or read aloud, and the history closes the reader. */
type Mode = { isEditing: boolean; open?: 'history' } | { isEditing: false; open: 'aloud' }

export function DocumentScreen() {
  const { library, document: id } = route.useParams()
  const { q, edit: isNew, change, ...wanted } = route.useSearch()
  const navigate = route.useNavigate()
  const role = useRole(library)
  const { data: document } = useSuspenseQuery(documentQuery(library, id))
  const mayEditIn = useMayEditIn(library)
  const canEdit = mayEditIn(document.collection?.id)
  const mayEditLibrary = mayEditIn(null)
  const { details } = useReadingOptions()
  const article = useRef<HTMLElement>(null)
  const aside = useRef<HTMLElement>(null)
  const [selected, setSelected] = useState<Selected>()
  const [commented, setCommented] = useState<Anchor>()
  const [mode, setMode] = useState<Mode>({ isEditing: isNew === true && canEdit })
  const { isEditing, open } = mode
  // A reload shows stored and unsent text.
  useEffect(() => {
    if (isNew) void navigate({ search: ({ edit: _, ...before }) => before, replace: true })
  }, [isNew, navigate])
  const [controls, setControls] = useState<HTMLElement | null>(null)
  const [tools, setTools] = useState<HTMLElement | null>(null)
  const canSpeak = 'speechSynthesis' in window && !isEditing && hasText(document)
  const arranging = useArranging(library, canEdit)
  // The typed first line, until the database has it as title.
  const [typed, setTyped] = useState<{ id: string; before: string; title: string | undefined }>()
  const onTitle = useCallback(
    (title: string | undefined) => setTyped({ id, before: document.title, title }),
    [id, document.title],
  )
  const isTyped = typed?.id === id && typed.before === document.title
  const title = (isTyped ? typed.title : undefined) ?? document.title
  usePageTitle(title)
  useReadDocument(id)
  useNoteOpened(id)
  useIndexingRefresh(library, isIndexing(document), keys.document(library, id))
  const frame = useDocumentFocus(isEditing ? undefined : id)
  const edit = () => {
    awaitField()
    setMode({ isEditing: true })
  }
  const readAloud = () => setMode({ isEditing: false, open: 'aloud' })
  const close = () => setMode({ isEditing })
  useShortcut('e', edit, canEdit && document.kind === 'note' && !isEditing)
  useShortcut('a', readAloud, canSpeak && open !== 'aloud')
  const comment = (anchor: Anchor | undefined) => {
    if (anchor) setReadingOptions({ details: true })
    setCommented(anchor)
  }
  const note = noteOf(document)
  const written = writtenNoteOf(document)
  return (
    <div
      ref={frame}
      data-letters
      tabIndex={-1}
      className={classNames(
        'grid w-full max-w-[120rem] grid-cols-1 gap-x-8 px-4 py-3 outline-none sm:px-8',
        details && 'xl:grid-cols-[minmax(0,1fr)_19rem]',
      )}
    >
      <article ref={article} className="min-w-0">
        <DocumentHeader
          library={library}
          document={document}
          title={title}
          q={q}
          canEdit={canEdit}
          canShare={mayEditLibrary}
          canAsk={role !== undefined && role !== 'guest'}
          isOwner={role === 'owner'}
          editing={isEditing}
          following={wanted.follow}
          controls={setControls}
          tools={setTools}
          onFollow={(follow) => void navigate({ search: (before) => ({ ...before, follow }), replace: true })}
          onEdit={edit}
          onVersions={() => setMode({ isEditing, open: 'history' })}
          onAloud={canSpeak ? readAloud : undefined}
          arranging={arranging}
          onDetails={() => aside.current?.scrollIntoView()}
        />
        <ScanPanel library={library} document={document} canEdit={canEdit} isOwner={role === 'owner'} />
        {document.proposed && !isEditing ? (
          <Suspense fallback={null}>
            <ChangePanel library={library} document={document} proposed={document.proposed} onContinue={edit} />
          </Suspense>
        ) : null}
        <ReaderTools value={tools}>
          <TextPanel
            library={library}
            document={document}
            canEdit={canEdit}
            wanted={wanted}
            article={article}
            isEditing={isEditing}
            controls={controls}
            onEditing={(isEditing) => (isEditing ? edit() : setMode({ isEditing: false }))}
            onSelect={setSelected}
            onTitle={onTitle}
          />
        </ReaderTools>
      </article>
      <DocumentAside
        ref={aside}
        library={library}
        document={document}
        role={role}
        wanted={wanted}
        commented={commented}
        arranging={arranging}
        onComment={comment}
        onShow={(comment) => void navigate({ search: ({ q }) => ({ q, comment }) })}
      />
      {selected && !isEditing ? (
        <SelectionPanel
          library={library}
          document={document}
          canEdit={mayEditLibrary}
          selected={selected}
          onComment={comment}
          onDone={() => setSelected(undefined)}
        />
      ) : null}
      <Suspense fallback={null}>
        {change !== undefined && note ? (
          <ApprovedChange
            library={library}
            document={note}
            version={change}
            onClose={() => void navigate({ search: ({ change: _, ...before }) => before, replace: true })}
          />
        ) : null}
        {open === 'history' && note && written ? (
          <VersionHistory
            library={library}
            note={note}
            basedOn={written.version.id}
            canEdit={canEdit}
            onClose={close}
          />
        ) : null}
        {arranging.dialog}
        {open === 'aloud' && canSpeak ? (
          <ReadAloud library={library} document={id} article={article} isPaged={isPdf(document)} onClose={close} />
        ) : null}
      </Suspense>
    </div>
  )
}

type SelectionPanelProps = {
  library: string
  document: { id: string; title: string }
  canEdit: boolean
  selected: Selected
  onComment: (anchor: Anchor) => void
  onDone: () => void
}

function SelectionPanel({ library, document, canEdit, selected, onComment, onDone }: SelectionPanelProps) {
  const highlighting = useAction(addComment)
  const done = () => {
    getSelection()?.removeAllRanges()
    onDone()
  }
  return (
    <SelectionMenu
      selected={selected}
      onHighlight={(color) => {
        const id = crypto.randomUUID()
        highlighting.mutate({ id, library, document: document.id, body: '', anchor: selected, color })
        done()
      }}
      onComment={() => {
        onComment({ page: selected.page, quote: selected.quote, start: selected.start ?? null })
        done()
      }}
    >
      <QuoteMenu library={library} document={document} anchor={selected} canEdit={canEdit} onDone={done} />
    </SelectionMenu>
  )
}

type ScanPanelProps = { library: string; document: OpenDocument; canEdit: boolean; isOwner: boolean }

function ScanPanel({ library, document, canEdit, isOwner }: ScanPanelProps) {
  const isWithoutText = isScan(document)
  if (document.state !== 'ready' && !isWithoutText) return null
  return (
    <ScanNotice
      library={library}
      document={document}
      left={pagesLeft(document.version)}
      isWithoutText={isWithoutText}
      canEdit={canEdit}
      canChangeSettings={isOwner}
    />
  )
}
