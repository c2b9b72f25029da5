import { onlineManager, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UndoRedo } from '@tiptap/extensions'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { pictureAddressQuery, pictureIn } from '../../domain/note-pictures.ts'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { readMarkdown } from './document/read-markdown.ts'
import { writeMarkdown } from './document/write-markdown.ts'
import { NoteText } from './editor/note-text.tsx'
import type { References } from './editor/reference-menus.ts'
import { replaceDocument, useNoteEditor } from './editor/use-note-editor.ts'
import { discardDraft } from './mutations.ts'
import { NoteConflict } from './note-conflict.tsx'
import { draftQuery, versionBodyQuery } from './queries.ts'
import { storePicture } from './store-picture.ts'
import type { UnsavedText } from './unsaved-text.ts'
import { type Saving, type Start, useNoteSaving } from './use-note-saving.ts'

// Loaded with the editor, because it parses Markdown as the editor does.
export { toggleTask } from './document/tasks.ts'

type Note = { id: string; title: string; version: { id: string; body: string } }
type NoteEditorProps = {
  library: string
  note: Note
  /** Undefined until it is known. */
  unsaved: UnsavedText | null | undefined
  references: References
  onClose: () => void
}

/** Edits a note where it is read. An unfinished text is restored on every device of its writer. */
export function NoteEditor(props: NoteEditorProps) {
  const { library, note, unsaved } = props
  // Both change while a person writes: the editor begins with what there was when it opened.
  const [opened, setOpened] = useState<{ unsaved: UnsavedText | null; version: Note['version'] }>()
  if (!opened && unsaved !== undefined) setOpened({ unsaved, version: note.version })
  useQuery({ ...draftQuery(library, note.id), throwOnError: failsOnline })
  const older = opened?.unsaved?.basedOn !== opened?.version.id ? opened?.unsaved?.basedOn : undefined
  const base = useQuery({ ...versionBodyQuery(older ?? ''), enabled: Boolean(older), throwOnError: failsOnline })
  if (!opened || (older && base.isPending)) {
    return (
      <div role="status" aria-label={t('Opening the editor')} className="grid gap-3">
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-4/5" />
      </div>
    )
  }
  const latest = { version: opened.version.id, text: opened.version.body }
  // Without network the older version may be out of reach: then nothing is merged, and both texts are compared.
  const start = older
    ? { version: older, saved: base.data?.body ?? '', latest }
    : { version: latest.version, saved: latest.text }
  return <Writing {...props} unsaved={opened.unsaved} start={{ ...start, text: opened.unsaved?.body ?? start.saved }} />
}

/** Without network the editor works with what the browser has. */
const failsOnline = (_: Error, { state }: { readonly state: { readonly data: unknown } }): boolean =>
  state.data === undefined && onlineManager.isOnline()

type WritingProps = NoteEditorProps & { start: Start }

// Without Yjs, the editor has an undo history of its own.
const EXTENSIONS = [UndoRedo]

function Writing({ library, note, unsaved, start: opened, references, onClose }: WritingProps) {
  // The editor's initial text; later texts replace it.
  const [start] = useState(opened)
  const [document] = useState(() => readMarkdown(start.text))
  const [restored, setRestored] = useState(start.text === start.saved ? undefined : (unsaved?.storedAt ?? undefined))
  const discarding = useMutation(discardDraft)
  const queryClient = useQueryClient()
  const { saving, write, save, decide, mine } = useNoteSaving({
    library,
    note: note.id,
    start,
    replace: (text) => put(text),
  })
  const done = async () => {
    if (await save()) onClose()
  }
  const { editor, menus } = useNoteEditor({
    label: t('Text of {title}', { title: note.title }),
    document,
    extensions: EXTENSIONS,
    references,
    pictures: {
      store: (picture) => storePicture(library, note.id, picture),
      find: async (reference) => {
        const name = pictureIn(reference)
        return name && (await queryClient.fetchQuery(pictureAddressQuery(library, note.id, name))).url
      },
      onError: showFailure,
    },
    onChange: (changed) => write(writeMarkdown(changed)),
    onSave: () => void save(),
    onLeave: () => void done(),
  })
  const put = (text: string) => replaceDocument(editor, readMarkdown(text))

  return (
    <div className="grid gap-4">
      <div className="sticky top-14 z-10 flex items-center justify-between gap-3 border-line border-b bg-paper/95 py-2 backdrop-blur-sm">
        <p aria-live="polite" className="text-ink-faint text-sm">
          {saidOf(saving)}
        </p>
        <Button size="small" look="primary" busy={saving.step === 'saving'} onClick={() => void done()}>
          {t('Done')}
        </Button>
      </div>
      {restored ? (
        <Notice tone="info" title={t('You left this unfinished {when}', { when: formatRelativeTime(restored) })}>
          <button
            type="button"
            className="rounded font-medium underline underline-offset-2"
            onClick={() => {
              setRestored(undefined)
              discarding.mutate({ library, note: note.id })
              put(start.saved)
            }}
          >
            {t('Go back to the saved text')}
          </button>
        </Notice>
      ) : null}
      {saving.step === 'too-long' ? (
        <Notice tone="error">{t('A note may have 1 MB. Take some out, or go on in a second note.')}</Notice>
      ) : null}
      {saving.step === 'failed' ? (
        <Notice tone="error" title={saving.reason}>
          {t('What you write stays here, and is tried again with the next letter.')}
        </Notice>
      ) : null}
      {saving.step === 'conflict' ? (
        <NoteConflict
          theirs={saving.theirs}
          mine={mine()}
          onMine={() => void decide(saving, mine())}
          onTheirs={() => void decide(saving, saving.theirs)}
        />
      ) : null}
      <NoteText editor={editor} menus={menus} />
    </div>
  )
}

function saidOf(saving: Saving): string {
  switch (saving.step) {
    case 'saved':
      return t('Saved')
    case 'writing':
      return t('Writing…')
    case 'kept':
      return t('Saved as your draft')
    case 'saving':
      return t('Saving…')
    case 'conflict':
      return t('Two texts')
    case 'failed':
    case 'too-long':
      return t('Not saved')
  }
}
