import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Editor } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { useEditorState } from '@tiptap/react'
import { type ComponentType, type ReactNode, useEffect, useMemo } from 'react'
import { createPortal } from 'react-dom'
import { MAX_TITLE } from '../../../supabase/functions/_shared/facts.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { showFailure } from '../../domain/failure-toast.ts'
import {
  MAX_PICTURE_BYTES,
  newPictureName,
  PICTURES,
  pictureAddressQuery,
  pictureIn,
  picturePath,
} from '../../domain/note-pictures.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { orThrow } from '../../lib/mutations.ts'
import { isBlankText } from './blank-text.ts'
import { DraftOffer } from './draft-offer.tsx'
import { NoteText } from './editor/note-text.tsx'
import type { References } from './editor/reference-menus.ts'
import { useNoteEditor } from './editor/use-note-editor.ts'
import { NoteConflict } from './note-conflict.tsx'
import { draftQuery } from './queries.ts'
import { RefusedWriting } from './refused-writing.tsx'
import { TemplatePicker } from './templates/template-picker.tsx'
import { beginningWith } from './templates/template-text.ts'
import { collaborationIn } from './writing/collaboration.ts'
import { NewerFormatError } from './writing/note-copy.ts'
import type { View, Writer } from './writing/run-writing.ts'
import { useWriting } from './writing/use-writing.ts'
import type { SavedVersion, Writing } from './writing/writing-state.ts'

// Loaded with the editor, because it needs its Markdown parser.
export { toggleTask } from './document/tasks.ts'
export { textOfState } from './writing/outbox.ts'

type Note = { id: string; title: string; version: { id: string; body: string } }
type NoteEditorProps = {
  library: string
  note: Note
  name: string
  references: References
  canWrite: boolean
  reading: ReactNode
  frame: ComponentType<{ children: ReactNode }>
  controls: HTMLElement | null
  /** Called with each version saved here; the last one comes before `onClose`. */
  onSaved: (note: string, version: SavedVersion) => void
  onLeftBlank: (note: string) => void
  /** Called with the first line while it is the note's title, otherwise undefined. */
  onTitle: (title: string | undefined) => void
  onClose: (isBlank: boolean) => void
}

export function NoteEditor(props: NoteEditorProps) {
  const { library, note, name, reading, onSaved, onLeftBlank } = props
  const { writer, view } = useWriting({ library, note, name, onSaved, onLeftBlank })
  const { open, error, others } = view
  if (error instanceof NewerFormatError) return <Outdated />
  if (error) return <Notice tone="error" title={describeFailure(error).title} />
  // Readable until it's writable.
  if (!writer || !open) return reading
  return <OpenNote {...props} {...open} key={open.doc.guid} writer={writer} others={others} />
}

function Outdated() {
  return (
    <Notice tone="error" title={t('This page is out of date')}>
      {t('Someone is editing this note with a newer version of Carrel. Reload the page to continue.')}
    </Notice>
  )
}

type OpenNoteProps = NoteEditorProps & NonNullable<View['open']> & { writer: Writer; others: readonly string[] }

function OpenNote(props: OpenNoteProps) {
  const {
    library,
    note,
    name,
    references,
    canWrite,
    frame: Frame,
    controls,
    onTitle,
    onClose,
    writer,
    doc,
    awareness,
    writing,
    others,
  } = props
  const queryClient = useQueryClient()
  const { data: draft } = useQuery(draftQuery(library, note.id))
  const extensions = useMemo(() => collaborationIn(doc, awareness), [doc, awareness])
  const done = async () => {
    if (await writer.save()) onClose(isBlankText(writer.text()))
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
  const line = useEditorState({ editor, selector: ({ editor }) => firstLine(editor.state.doc) })
  const isTitled = isTitledByText(note)
  useEffect(() => onTitle((isTitled && line) || undefined), [onTitle, isTitled, line])
  const isRefused = writing.step === 'refused'
  useEffect(() => void editor.setEditable(!isRefused), [editor, isRefused])
  return (
    <Frame>
      {controls
        ? createPortal(
            <>
              {others.length > 0 ? (
                <p className="truncate text-ink-soft text-sm max-2xl:sr-only">
                  {t('With {names}', { names: others.join(', ') })}
                </p>
              ) : null}
              <p aria-live="polite" className="truncate text-ink-faint text-sm">
                {saidOf(writing)}
              </p>
              <Button
                size="small"
                look="primary"
                busy={writing.step === 'saving'}
                onClick={() => (isRefused ? onClose(false) : void done())}
              >
                {isRefused ? t('Close') : t('Done')}
              </Button>
            </>,
            controls,
          )
        : null}
      {draft ? <DraftOffer library={library} note={note.id} draft={draft} writer={writer} /> : null}
      {writing.step === 'outdated' ? <Outdated /> : null}
      {writing.step === 'refused' ? (
        <RefusedWriting title={note.title} text={writer.text()} isStored={writing.isStored} />
      ) : null}
      {writing.step === 'too-long' ? (
        <Notice tone="error">{t('A note can be up to 1 MB. Shorten it, or continue in a second note.')}</Notice>
      ) : null}
      {writing.step === 'failed' ? (
        <Notice tone="error" title={describeFailure(writing.error).title}>
          {t('Your text stays on this page. Saving is retried every few seconds.')}
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
      <Beginnings library={library} author={name} editor={editor} writer={writer} />
    </Frame>
  )
}

type BeginningsProps = { library: string; author: string; editor: Editor; writer: Writer }

function Beginnings({ library, author, editor, writer }: BeginningsProps) {
  const title = useEditorState({ editor, selector: ({ editor }) => titleAlone(editor.state.doc) })
  if (title === null) return null
  const begin = (template: { title: string; body: string }) => {
    writer.replace(beginningWith(template, title, author))
    editor.commands.focus('end')
  }
  return <TemplatePicker library={library} onChoose={begin} />
}

/** The title of a note without other text; otherwise null. */
const titleAlone = ({ firstChild, childCount }: Node): string | null =>
  childCount === 1 && firstChild && (firstChild.type.name === 'heading' || firstChild.content.size === 0)
    ? firstChild.textContent
    : null

function firstLine(doc: Node): string {
  let line = ''
  doc.descendants((node) => {
    if (line === '' && node.isTextblock)
      line = node.textBetween(0, node.content.size, ' ', ' ').trim().slice(0, MAX_TITLE)
    return line === ''
  })
  return line
}

/** Whether the title follows the text, by the database's rule: it equals the first line, or both are empty. */
const isTitledByText = ({ title, version: { body } }: Note): boolean =>
  isBlankText(body) || /[\p{L}\p{N}].*/u.exec(body)?.[0].replaceAll(/[*_`]/g, '').trim() === title

function saidOf({ step }: Writing): string {
  switch (step) {
    case 'saved':
      return t('Saved')
    case 'writing':
      return t('Writing…')
    case 'kept':
      return t('Draft saved')
    case 'waiting':
      return t('Waiting for the network')
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

/** Seconds of browser caching: a path's content never changes. */
const FOR_GOOD = '31536000'

/** Stores a note's picture.
 *  @returns its name in the text.
 *  @throws {Error} with a message for the user if type or size isn't allowed. @throws {StorageError} */
async function storePicture(library: string, note: string, picture: File): Promise<string> {
  const name = newPictureName(picture.type)
  if (!name) throw new Error(t('Pictures in a note can be PNG, JPEG, WebP, GIF or AVIF.'))
  if (picture.size > MAX_PICTURE_BYTES) throw new Error(t('Pictures in a note can be up to 10 MB.'))
  await orThrow(
    supabase.storage
      .from(PICTURES)
      .upload(picturePath(library, note, name), picture, { contentType: picture.type, cacheControl: FOR_GOOD }),
  )
  return `pictures/${name}`
}
