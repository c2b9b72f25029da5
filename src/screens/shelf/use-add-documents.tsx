import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { showFailure } from '../../domain/failure-toast.ts'
import { webAddress } from '../../features/documents/dialogs/web-address.ts'
import { usePastedText } from '../../features/documents/shelf/use-pasted-text.ts'
import { fromPicker } from '../../features/uploads/dropped.ts'
import { FilePickers } from '../../features/uploads/file-pickers.tsx'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { addFiles } from '../library/add-files.ts'

const route = getRouteApi('/_signed-in/l/$library/')

const NewNote = lazy(() => import('./new-note.tsx').then((it) => ({ default: it.NewNote })))
const LinkDialog = lazy(() =>
  import('../../features/documents/dialogs/link-dialog.tsx').then((it) => ({ default: it.LinkDialog })),
)

/** The part of the address that opens the dialog of a new note. */
const NEW_NOTE = 'new-note'

/** @property pick Opens the browser's choice of files.
 *  @property dialogs To be rendered once. */
export type AddDocuments = {
  pick: () => void
  pickFolder: () => void
  write: () => void
  link: () => void
  dialogs: ReactNode
}

/** The ways in which a person adds documents to a shelf: files, a note, a link, what they paste, and a key for each. */
export function useAddDocuments(library: string, collection: string | undefined, canEdit: boolean): AddDocuments {
  const queryClient = useQueryClient()
  const navigate = route.useNavigate()
  // Undefined until the first note is begun, so that its dialog is loaded then.
  const [writing, setWriting] = useState<{ open: boolean; pasted?: string }>()
  const [linking, setLinking] = useState<string>()
  const pickers = useRef<FilePickers>(null)
  const pick = () => pickers.current?.pickFiles()
  const write = () => setWriting({ open: true })
  const link = () => setLinking('')
  // The palette leads here from any page.
  const isAsked = useLocation({ select: ({ hash }) => hash === NEW_NOTE })
  useEffect(() => {
    if (!isAsked || !canEdit) return
    setWriting({ open: true })
    void navigate({ search: (before) => before, replace: true })
  }, [isAsked, canEdit, navigate])
  useShortcut('u', () => canEdit && pick())
  useShortcut('n', () => canEdit && write())
  useShortcut('l', () => canEdit && link())
  usePastedText((text) => {
    if (!canEdit) return
    if (/^\s*https?:/i.test(text) && webAddress(text)) setLinking(text.trim())
    else setWriting({ open: true, pasted: text })
  })
  const dialogs = (
    <>
      <FilePickers
        ref={pickers}
        onFiles={(files) => void addFiles(queryClient, fromPicker(files), { library, collection }).catch(showFailure)}
      />
      <Suspense fallback={null}>
        {writing ? (
          <NewNote
            key={writing.pasted}
            library={library}
            collection={collection}
            open={writing.open}
            pasted={writing.pasted}
            onClose={() => setWriting({ ...writing, open: false })}
          />
        ) : null}
        {linking === undefined ? null : (
          <LinkDialog
            library={library}
            collection={collection}
            initial={linking}
            onClose={() => setLinking(undefined)}
          />
        )}
      </Suspense>
    </>
  )
  return { pick, pickFolder: () => pickers.current?.pickFolder(), write, link, dialogs }
}
