import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { showFailure } from '../../domain/failure-toast.ts'
import { pictureAddressQuery, pictureIn } from '../../domain/note-pictures.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { DraftOffer } from './draft-offer.tsx'
import { NoteText } from './editor/note-text.tsx'
import type { References } from './editor/reference-menus.ts'
import { useNoteEditor } from './editor/use-note-editor.ts'
import { NoteConflict } from './note-conflict.tsx'
import { draftQuery } from './queries.ts'
import { RefusedWriting } from './refused-writing.tsx'
import { storePicture } from './store-picture.ts'
import { collaborationIn } from './writing/collaboration.ts'
import { NewerFormatError } from './writing/note-copy.ts'
import type { View, Writer } from './writing/run-writing.ts'
import { useWriting } from './writing/use-writing.ts'
import type { SavedVersion, Writing } from './writing/writing-state.ts'

// Loaded with the editor, because it parses Markdown as the editor does.
export { toggleTask } from './document/tasks.ts'

type Note = { id: string; title: string; version: { id: string; body: string } }
type NoteEditorProps = {
  library: string
  note: Note
  /** The writer's name, for the others. */
  name: string
  references: References
  /** Whether this person may still write: somebody may end it meanwhile. */
  canWrite: boolean
  /** Called with each version that this page saves, the one of "Done" before `onClose`. */
  onSaved: (note: string, version: SavedVersion) => void
  onClose: () => void
}

/** Edits a note where it is read, together with everybody else who has it open for writing. */
export function NoteEditor(props: NoteEditorProps) {
  const { library, note, name, onSaved } = props
  const { writer, view } = useWriting({ library, note, name, onSaved })
  const { open, error, others } = view
  if (error instanceof NewerFormatError) return <Outdated />
  if (error) return <Notice tone="error" title={describeFailure(error).title} />
  if (!writer || !open) {
    return (
      <div role="status" aria-label={t('Opening the editor')} className="grid gap-3">
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-4/5" />
      </div>
    )
  }
  return <OpenNote {...props} {...open} key={open.doc.guid} writer={writer} others={others} />
}

function Outdated() {
  return (
    <Notice tone="error" title={t('This page is out of date')}>
      {t('Somebody writes in this note with a newer version of Carrel. Reload the page to continue.')}
    </Notice>
  )
}

type OpenNoteProps = NoteEditorProps & NonNullable<View['open']> & { writer: Writer; others: readonly string[] }

function OpenNote(props: OpenNoteProps) {
  const { library, note, references, canWrite, onClose, writer, doc, awareness, writing, others } = props
  const queryClient = useQueryClient()
  const { data: draft } = useQuery(draftQuery(library, note.id))
  const extensions = useMemo(() => collaborationIn(doc, awareness), [doc, awareness])
  const done = async () => {
    if (await writer.save()) onClose()
  }
  const { editor, menus, faces } = useNoteEditor({
    label: t('Text of {title}', { title: note.title }),
    extensions,
    references,
    pictures: {
      store: (picture) => storePicture(library, note.id, picture),
      find: async (reference) => {
        const name = pictureIn(reference)
        return name && (await queryClient.fetchQuery(pictureAddressQuery(library, note.id, name))).url
      },
      onError: showFailure,
    },
    onSave: () => void writer.save(),
    onLeave: () => void done(),
  })
  useEffect(() => {
    if (!canWrite) writer.stop()
  }, [writer, canWrite])
  const isRefused = writing.step === 'refused'
  useEffect(() => void editor.setEditable(!isRefused), [editor, isRefused])
  return (
    <div className="grid gap-4">
      <div className="sticky top-14 z-10 flex items-center justify-between gap-3 border-line border-b bg-paper/95 py-2 backdrop-blur-sm">
        <p aria-live="polite" className="text-ink-faint text-sm">
          {saidOf(writing)}
        </p>
        <div className="flex min-w-0 items-center gap-3">
          {others.length > 0 ? (
            <p className="truncate text-ink-soft text-sm">{t('With {names}', { names: others.join(', ') })}</p>
          ) : null}
          <Button
            size="small"
            look="primary"
            busy={writing.step === 'saving'}
            onClick={() => (isRefused ? onClose() : void done())}
          >
            {isRefused ? t('Close') : t('Done')}
          </Button>
        </div>
      </div>
      {draft ? <DraftOffer library={library} note={note.id} draft={draft} writer={writer} /> : null}
      {writing.step === 'outdated' ? <Outdated /> : null}
      {writing.step === 'refused' ? (
        <RefusedWriting title={note.title} text={writer.text()} isStored={writing.isStored} />
      ) : null}
      {writing.step === 'too-long' ? (
        <Notice tone="error">{t('A note may have 1 MB. Take some out, or continue in a second note.')}</Notice>
      ) : null}
      {writing.step === 'failed' ? (
        <Notice tone="error" title={describeFailure(writing.error).title}>
          {t('What you write stays here, and is tried again with the next letter.')}
        </Notice>
      ) : null}
      {writing.step === 'conflict' ? (
        <NoteConflict
          theirs={writing.theirs}
          mine={writer.text()}
          onMine={() => writer.decide('mine')}
          onTheirs={() => writer.decide('theirs')}
        />
      ) : null}
      <NoteText editor={editor} menus={menus} faces={faces} drawing={references.drawing} />
    </div>
  )
}

function saidOf({ step }: Writing): string {
  switch (step) {
    case 'saved':
      return t('Saved')
    case 'writing':
      return t('Writing…')
    case 'kept':
      return t('Kept, not a version yet')
    case 'waiting':
      return t('Waits for the network')
    case 'saving':
      return t('Saving…')
    case 'conflict':
      return t('Two texts')
    case 'failed':
    case 'too-long':
    case 'outdated':
    case 'refused':
      return t('Not saved')
  }
}
