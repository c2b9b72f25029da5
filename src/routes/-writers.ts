import { askToReadLater } from '../lib/ask-to-read.ts'
import { t } from '../lib/i18n.ts'
import type { Writer } from '../lib/outbox.ts'
import { say } from '../lib/toast.ts'

const account = () => import('../features/profile/mutations.ts')
const documents = () => import('../features/documents/mutations.ts')
const notes = () => import('../features/notes/mutations.ts')
const reader = () => import('../features/reader/mutations.ts')
const settings = () => import('../features/library-settings/mutations.ts')
const tags = () => import('../features/tags/mutations.ts')

type Sender<Wish> = { mutationFn?: ((wish: Wish, context: never) => Promise<unknown>) | undefined }

/** What was kept is what the same app wrote down: a wish of this very mutation. */
const sender =
  <Wish>({ mutationFn }: Sender<Wish>): Writer =>
  async (wish) =>
    mutationFn?.(wish as Wish, undefined as never)

/** How each kind of thing that a person wrote is sent when the page that it was written on is gone. */
const WRITERS: Readonly<Record<string, () => Promise<Writer>>> = {
  'add-comment': async () => sender((await reader()).addComment),
  'resolve-comment': async () => sender((await reader()).setResolved),
  'delete-comment': async () => sender((await reader()).deleteComment),
  'rename-document': async () => sender((await documents()).renameDocument),
  'move-documents': async () => sender((await documents()).moveDocuments),
  'trash-documents': async () => sender((await documents()).setDeleted),
  'tag-documents': async () => sender((await tags()).setTag),
  'change-library': async () => sender((await settings()).changeLibrary),
  'save-name': async () => sender((await account()).saveName),
  'save-draft': async () => sender((await notes()).saveDraft),
  'add-note': async () => {
    const add = sender((await documents()).addNote)
    return async (wish) => {
      await add(wish)
      askToReadLater({ id: (wish as { document: string }).document, kind: 'note' })
    }
  },
  'save-note': async () => {
    const { saveNote, saveDraft, dropDraft, isConflict } = await notes()
    const [save, keep, drop] = [sender(saveNote), sender(saveDraft), sender(dropDraft)]
    return async (wish) => {
      const { note } = wish as { note: string }
      try {
        await save(wish)
        await drop(note)
      } catch (error) {
        if (!isConflict(error)) throw error
        // The editor shows both texts as soon as the note is opened.
        await keep(wish)
        say({
          title: t('Somebody else has saved a note that you changed without network'),
          description: t('Your text is kept as a draft: open the note to put both together.'),
        })
      }
    }
  },
}

export async function findWriter(name: string): Promise<Writer> {
  const writer = await WRITERS[name]?.()
  if (!writer) throw new Error(`Nothing here sends ${name}`)
  return writer
}
