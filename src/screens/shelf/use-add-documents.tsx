import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { FileInput } from '../../components/file-input.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { webAddress } from '../../features/documents/dialogs/web-address.ts'
import { usePastedText } from '../../features/documents/shelf/use-pasted-text.ts'
import { fromPicker, type PlacedFile } from '../../features/uploads/dropped.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { addFiles } from '../library/add-files.ts'
import { useNewNote } from '../library/use-new-note.ts'

const LinkDialog = lazy(() =>
  import('../../features/documents/dialogs/link-dialog.tsx').then((it) => ({ default: it.LinkDialog })),
)

const ImportDialog = lazy(() =>
  import('../../features/transfer/transfer-section.tsx').then((it) => ({ default: it.ImportDialog })),
)

/** Supported by every browser but missing in React's types. */
const WHOLE_FOLDER = { webkitdirectory: '' }

/** The URL's hash that starts a new note. */
const NEW_NOTE = 'new-note'

/** @property pick Opens the file picker. @property dialogs To be rendered once. */
export type AddDocuments = {
  pick: () => void
  pickFolder: () => void
  write: () => void
  link: () => void
  import: () => void
  dialogs: ReactNode
}

/** Adds documents to a shelf: files, notes, links, pasted content, with shortcuts. */
export function useAddDocuments(library: string, collection: string | undefined, canEdit: boolean): AddDocuments {
  const queryClient = useQueryClient()
  const begin = useNewNote(library, collection)
  const [linking, setLinking] = useState<string>()
  const [isImporting, setImporting] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const pick = () => files.current?.click()
  const write = () => void begin()
  const link = () => setLinking('')
  // The palette links here from any page.
  const isAsked = useLocation({ select: ({ hash }) => hash === NEW_NOTE })
  const beginAsked = useEffectEvent(() => void begin(undefined, { replace: true }))
  useEffect(() => {
    if (isAsked && canEdit) beginAsked()
  }, [isAsked, canEdit])
  useShortcut('u', () => canEdit && pick())
  useShortcut('g n', () => canEdit && write())
  useShortcut('l', () => canEdit && link())
  usePastedText((text, html) => {
    if (!canEdit) return
    if (/^\s*https?:/i.test(text) && webAddress(text)) setLinking(text.trim())
    else if (!html) void begin(text)
    else
      void import('../../features/notes/document/write-markdown.ts')
        .then(({ htmlToMarkdown }) => begin(htmlToMarkdown(html) ?? text))
        .catch(showFailure)
  })
  const add = (files: readonly PlacedFile[]) =>
    void addFiles(queryClient, files, { library, collection }).catch(showFailure)
  const addPicked = (files: File[]) => add(fromPicker(files))
  const dialogs = (
    <>
      <FileInput ref={files} multiple label={t('Files to add')} onFiles={addPicked} />
      <FileInput ref={folder} {...WHOLE_FOLDER} label={t('A folder to add')} onFiles={addPicked} />
      <Suspense fallback={<Opening />}>
        {linking === undefined ? null : (
          <LinkDialog
            library={library}
            collection={collection}
            initial={linking}
            onClose={() => setLinking(undefined)}
          />
        )}
        {isImporting ? <ImportDialog library={library} onFiles={add} onClose={() => setImporting(false)} /> : null}
      </Suspense>
    </>
  )
  return {
    pick,
    pickFolder: () => folder.current?.click(),
    write,
    link,
    import: () => setImporting(true),
    dialogs,
  }
}
