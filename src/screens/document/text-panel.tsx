import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useState } from 'react'
import { useAction } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { pictureAddressQuery } from '../../domain/note-pictures.ts'
import { discardBlankNote } from '../../features/documents/mutations.ts'
import { useLibraryLive } from '../../features/live/library-live.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import { saveNote } from '../../features/notes/mutations.ts'
import { UnsavedNotice } from '../../features/notes/unsaved-notice.tsx'
import { useUnsavedText } from '../../features/notes/unsaved-text.ts'
import { useDraft } from '../../features/notes/writing/use-draft.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import type { Selected } from '../../features/reader/anchors.ts'
import { DocumentView } from '../../features/reader/document-view.tsx'
import { useFinding } from '../../features/reader/finding.ts'
import {
  commentsQuery,
  documentQuery,
  fileQuery,
  type OpenDocument,
  withSavedVersion,
} from '../../features/reader/queries.ts'
import { WrittenText } from '../../features/reader/text/written-text.tsx'
import { useReadingPosition } from '../../features/reader/use-reading-position.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { download } from '../library/export-items.tsx'
import { LINKS, useReferences } from '../library/use-references.tsx'
import { anchorOf, isElsewhere, isPdf, noteOf, type ReadingTarget, remarksOf, writtenNoteOf } from './document-model.ts'
import { usePassage } from './use-passage.ts'

const loadEditor = () =>
  import('../../features/notes/note-editor.tsx').then(({ NoteEditor }) => ({ default: NoteEditor }))
const NoteEditor = lazy(loadEditor)

type TextPanelProps = {
  library: string
  document: OpenDocument
  canEdit: boolean
  wanted: ReadingTarget
  article: RefObject<HTMLElement | null>
  isEditing: boolean
  controls: HTMLElement | null
  onEditing: (isEditing: boolean) => void
  onSelect: (selected: Selected | undefined) => void
  /** Called with a note's title while typing. */
  onTitle: (title: string | undefined) => void
}

/** A document's text, which restores the reading position; notes can be edited. */
export function TextPanel(props: TextPanelProps) {
  const { library, document, canEdit, wanted, article, isEditing, controls, onEditing, onSelect, onTitle } = props
  const { id } = document
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { user } = useSession()
  const { report } = useLibraryLive()
  const references = useReferences(library)
  const { data: profile } = useQuery(profileQuery(user.id))
  const { data: comments = [] } = useQuery(commentsQuery(library, id))
  const passage = usePassage(library, document, wanted)
  const paged = isPdf(document)
  const [page, setPage] = useState<number>()
  useEffect(() => {
    report({ document: id, page: page ?? null, writes: isEditing })
  }, [report, id, page, isEditing])
  useEffect(() => () => report({ document: null, page: null }), [report])
  const elsewhere = isElsewhere(wanted)
  const lastPage = useReadingPosition({ library, document: id, text: article, page, paged, elsewhere })
  const finding = useFinding(paged)
  const followed = useFollowing(library, id, wanted.follow)

  const note = noteOf(document)
  const written = writtenNoteOf(document)
  const canWrite = document.kind === 'note' && canEdit
  const unsaved = useUnsavedText(library, id, canWrite)
  const writers = useWriters(library, id)
  const readAs = canWrite ? undefined : { seesWriters: writers.length > 0 }
  const draft = useDraft(library, isEditing || document.proposed ? undefined : note, readAs)
  const text = unsaved?.kind === 'waiting' ? unsaved.body : draft?.body
  // Load the editor early, because the network may be gone when it's needed.
  useEffect(() => {
    if (canWrite) void loadEditor().catch(() => undefined)
  }, [canWrite])
  // Otherwise a late channel message would leave the previous text.
  const showSaved = (note: string, saved: Parameters<typeof withSavedVersion>[1]) => {
    queryClient.setQueryData(
      documentQuery(library, note).queryKey,
      (before) => before && withSavedVersion(before, saved),
    )
    void queryClient.invalidateQueries({ queryKey: keys.document(library, note) })
  }
  const discarding = useMutation(discardBlankNote)
  const close = (isBlank: boolean) => {
    // A new note left blank has been deleted.
    if (isBlank && document.version?.number === 1) void navigate({ to: '/l/$library', params: { library } })
    else onEditing(false)
  }
  const downloading = useAction(download)
  const ticking = useAction(saveNote)
  const tick = async (index: number, count: number) => {
    if (!note || ticking.isPending) return
    const { toggleTask } = await import('../../features/notes/note-editor.tsx')
    const body = toggleTask(note.version.body, index, count)
    if (body === undefined || document.proposed) onEditing(true)
    else ticking.mutate({ library, note: id, body, basedOn: note.version.id })
  }

  const reading = (
    <DocumentView
      document={
        text !== undefined && document.version
          ? { ...document, version: { ...document.version, body: text } }
          : document
      }
      anchor={anchorOf(wanted, paged, comments, passage)}
      remarks={remarksOf(comments)}
      onSelect={onSelect}
      drawLink={LINKS.card}
      onTick={canWrite && note && !unsaved && !draft ? tick : undefined}
      read={document.state === 'ready' ? { library, document: id } : undefined}
      pictures={(name) => pictureAddressQuery(library, id, name)}
      files={fileQuery}
      onPage={setPage}
      finding={finding}
      onDownload={() => downloading.mutate({ library, id })}
      goTo={followed ?? wanted.page ?? (elsewhere ? undefined : lastPage)}
    />
  )
  if (isEditing && written)
    return (
      <Suspense fallback={reading}>
        <NoteEditor
          reading={reading}
          frame={WrittenText}
          library={library}
          note={written}
          name={profile?.display_name ?? user.email ?? ''}
          references={references}
          canWrite={canEdit}
          controls={controls}
          onSaved={showSaved}
          onLeftBlank={(note) => discarding.mutate({ library, note })}
          onTitle={onTitle}
          onClose={close}
        />
      </Suspense>
    )
  return (
    <>
      {written ? (
        <UnsavedNotice
          unsaved={unsaved}
          draft={draft}
          writers={writers}
          version={written.version}
          onOpen={canWrite ? () => onEditing(true) : undefined}
        />
      ) : null}
      {reading}
    </>
  )
}

/** The names of the members who have opened a document for writing. */
function useWriters(library: string, document: string): string[] {
  const { people } = useLibraryLive()
  const writing = people.filter((one) => one.document === document && one.writes).map(({ person }) => person)
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: writing.length > 0 })
  return members.filter(({ user_id }) => writing.includes(user_id)).map(({ profile }) => profile.display_name)
}

/** Follows a person to the documents that they open. @returns the page that they read in this document. */
function useFollowing(library: string, document: string, person: string | undefined): number | undefined {
  const navigate = useNavigate()
  const { people } = useLibraryLive()
  const place = person ? people.find((one) => one.person === person) : undefined
  const elsewhere = place?.document && place.document !== document ? place.document : undefined
  useEffect(() => {
    if (!elsewhere) return
    void navigate({
      to: '/l/$library/d/$document',
      params: { library, document: elsewhere },
      search: person ? { follow: person } : {},
    })
  }, [elsewhere, library, navigate, person])
  return place?.document === document ? (place.page ?? undefined) : undefined
}
