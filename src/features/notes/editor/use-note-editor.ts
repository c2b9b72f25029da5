import type { Editor, Extensions } from '@tiptap/core'
import { Placeholder } from '@tiptap/extensions'
import type { Node } from '@tiptap/pm/model'
import { useEditor } from '@tiptap/react'
import { useEffectEvent, useMemo, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { noteExtensions } from '../document/extensions.ts'
import { blockMenu } from './block-menu.ts'
import { Checklists } from './checklists.ts'
import { Clipboard } from './clipboard.ts'
import { createMenuStore, type MenuStore } from './menu-store.ts'
import { noteKeys } from './note-keys.ts'
import { type PictureStore, pictures } from './pictures.ts'
import { type References, referenceMenus } from './reference-menus.ts'
import { PlainTables } from './tables.ts'

/** What covers the window's edges, in pixels: the headers of the app and of the editor. */
const EDGES = { top: 128, right: 0, bottom: 48, left: 0 }

type NoteEditorOptions = {
  /** The accessible name. */
  label: string
  /** What the editor begins with. Undefined when an extension brings the document. */
  document?: Node
  /** The undo history, or live writing, which has its own. */
  extensions: Extensions
  references: References
  pictures: PictureStore
  onChange: (document: Node) => void
  onSave: () => void
  onLeave: () => void
}

/** An editor for the text of a note. Only the first values of `document` and `extensions` count. */
export function useNoteEditor(options: NoteEditorOptions): { editor: Editor; menus: MenuStore } {
  const { label, document, extensions, references } = options
  const onChange = useEffectEvent(options.onChange)
  const onSave = useEffectEvent(options.onSave)
  const onLeave = useEffectEvent(options.onLeave)
  const findDocuments = useEffectEvent(references.findDocuments)
  const people = useEffectEvent(references.people)
  const store = useEffectEvent(options.pictures.store)
  const find = useEffectEvent(options.pictures.find)
  const onPictureError = useEffectEvent(options.pictures.onError)
  const [menus] = useState(createMenuStore)
  const { library } = references
  const all = useMemo(
    () => [
      ...noteExtensions,
      ...extensions,
      Checklists,
      Clipboard,
      PlainTables,
      Placeholder.configure({ placeholder: t('Write, or type / for headings, lists, tables and more.') }),
      noteKeys({ onSave: () => onSave(), onLeave: () => onLeave() }),
      blockMenu(menus),
      pictures({
        store: (picture) => store(picture),
        find: (reference) => find(reference),
        onError: (error) => onPictureError(error),
      }),
      referenceMenus(menus, {
        library,
        people: () => people(),
        findDocuments: (words) => findDocuments(words),
      }),
    ],
    [extensions, menus, library],
  )
  const editor = useEditor({
    extensions: all,
    content: document?.toJSON() ?? null,
    autofocus: 'start',
    editorProps: {
      scrollMargin: EDGES,
      scrollThreshold: EDGES,
      attributes: { class: 'prose min-h-64', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
    },
    onUpdate: ({ editor }) => onChange(editor.state.doc),
  })
  return { editor, menus }
}

/** Puts another document into an editor, as one step that can be undone. The caret stays where nothing changes around it. */
export function replaceDocument(editor: Editor, document: Node): void {
  const { doc, tr } = editor.state
  const next = editor.schema.nodeFromJSON(document.toJSON())
  const start = doc.content.findDiffStart(next.content)
  const end = doc.content.findDiffEnd(next.content)
  if (start === null || !end) return
  // Where text repeats, what is equal at the end overlaps what is equal at the start.
  const overlap = Math.max(0, start - Math.min(end.a, end.b))
  editor.view.dispatch(tr.replace(start, end.a + overlap, next.slice(start, end.b + overlap)))
}
