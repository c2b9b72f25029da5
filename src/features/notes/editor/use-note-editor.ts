import { type Editor, Extension, type Extensions, type JSONContent } from '@tiptap/core'
import { Placeholder } from '@tiptap/extensions'
import type { Node } from '@tiptap/pm/model'
import { Plugin, type Transaction } from '@tiptap/pm/state'
import { goToNextCell } from '@tiptap/pm/tables'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { useEditor } from '@tiptap/react'
import { useEffectEvent, useMemo, useState } from 'react'
import { hasDirection } from '../../../lib/i18n/direction.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { noteExtensions } from '../document/extensions.ts'
import { blockMenu } from './block-menu.ts'
import { Checklists } from './checklists.ts'
import { Clipboard } from './clipboard.ts'
import { documentLinks } from './document-links.ts'
import { createFaceStore, type FaceStore } from './link-faces.tsx'
import { createMenuStore, type MenuStore } from './menu-store.ts'
import { type PictureStore, pictures } from './pictures.ts'
import { type References, referenceMenus } from './reference-menus.ts'

const EMPTY_PARAGRAPH = 2

/** Tab moves to the next cell. Tables stay valid GFM: the first row is the header, and columns have one alignment. */
const PlainTables = Extension.create({
  name: 'plainTables',
  priority: 120,
  addKeyboardShortcuts() {
    const goTo = (direction: 1 | -1) => () => goToNextCell(direction)(this.editor.state, this.editor.view.dispatch)
    return { Tab: goTo(1), 'Shift-Tab': goTo(-1) }
  },
  addProseMirrorPlugins: () => [
    new Plugin({
      props: { decorations: ({ doc }) => markEmptyHeaders(doc) },
      appendTransaction: (transactions, _before, { doc, tr }) => {
        if (!transactions.some(({ docChanged }) => docChanged)) return null
        doc.descendants((node, pos) => {
          if (node.type.name === 'table') makePlain(tr, node, pos)
          return !node.isTextblock
        })
        return tr.docChanged ? tr : null
      },
    }),
  ],
})

/** An empty header cell isn't announced as a header. */
function markEmptyHeaders(doc: Node): DecorationSet {
  const empty: Decoration[] = []
  doc.descendants((node, pos) => {
    if (node.type.name === 'tableHeader' && node.content.size === EMPTY_PARAGRAPH)
      empty.push(Decoration.node(pos, pos + node.nodeSize, { role: 'cell' }))
    return !node.isTextblock
  })
  return DecorationSet.create(doc, empty)
}

function makePlain(tr: Transaction, table: Node, pos: number): void {
  const { tableHeader, tableCell } = table.type.schema.nodes
  const aligns = table.firstChild?.children.map(({ attrs }) => attrs.align) ?? []
  table.forEach((row, rowOffset, rowIndex) => {
    const type = rowIndex === 0 ? tableHeader : tableCell
    row.forEach((cell, cellOffset, column) => {
      const align = aligns[column] ?? null
      if (cell.type === type && cell.attrs.align === align) return
      tr.setNodeMarkup(pos + rowOffset + cellOffset + 2, type, { ...cell.attrs, align })
    })
  })
}

/** Marks paragraphs without letters (empty, "/", "1822"), which have no direction, so that they inherit one. Otherwise
 *  the caret of an empty Arabic note would be on the left. */
const Undirected = Extension.create({
  name: 'undirected',
  addProseMirrorPlugins: () => [
    new Plugin<DecorationSet>({
      state: {
        init: (_, { doc }) => marksOf(doc),
        apply: (transaction, marks) => (transaction.docChanged ? marksOf(transaction.doc) : marks),
      },
      props: {
        decorations(state) {
          return this.getState(state)
        },
      },
    }),
  ],
})

/** Whether a block has a direction. Nodes are immutable, so only edited ones are checked again. */
const known = new WeakMap<Node, boolean>()

function isDirected(block: Node): boolean {
  const before = known.get(block)
  if (before !== undefined) return before
  const directed = hasDirection(block.textContent)
  known.set(block, directed)
  return directed
}

function marksOf(doc: Node): DecorationSet {
  const marks: Decoration[] = []
  doc.descendants((node, pos) => {
    if (!node.isTextblock) return true
    if (!isDirected(node)) marks.push(Decoration.node(pos, pos + node.nodeSize, { class: 'undirected' }))
    return false
  })
  return DecorationSet.create(doc, marks)
}

type NoteKeysOptions = { onSave: () => void; onLeave: () => void }

/** Mod+S saves. Escape and Mod+Enter leave the editor, so that Tab can indent without trapping the focus. */
const noteKeys = ({ onSave, onLeave }: NoteKeysOptions) => {
  const then = (act: () => void) => () => {
    act()
    return true
  }
  return Extension.create({
    name: 'noteKeys',
    // After the menus, which Escape closes first, and before line breaks.
    priority: 150,
    addKeyboardShortcuts: () => ({ 'Mod-s': then(onSave), 'Mod-Enter': then(onLeave), Escape: then(onLeave) }),
  })
}

/** Pixels covered by the headers of the app and the editor. */
const EDGES = { top: 128, right: 0, bottom: 48, left: 0 }

/** The position of the first visible line, so that opening the editor doesn't scroll. */
function placeInView({ view }: Editor): number | 'start' {
  const { left, top } = view.dom.getBoundingClientRect()
  return view.posAtCoords({ left: left + 1, top: Math.max(top + 1, EDGES.top) })?.pos ?? 'start'
}

type NoteEditorOptions = {
  label: string
  /** Provides the document and the undo history. Only the first value is used. */
  extensions: Extensions
  /** The initial text, unless an extension provides it. Only the first value is used. */
  content?: JSONContent
  references: References
  pictures: PictureStore
  onSave: () => void
  onLeave: () => void
}

export function useNoteEditor(options: NoteEditorOptions): { editor: Editor; menus: MenuStore; faces: FaceStore } {
  const { label, extensions, content, references } = options
  const onSave = useEffectEvent(options.onSave)
  const onLeave = useEffectEvent(options.onLeave)
  const findDocuments = useEffectEvent(references.findDocuments)
  const findPassages = useEffectEvent(references.findPassages)
  const findTitle = useEffectEvent(references.findTitle)
  const people = useEffectEvent(references.people)
  const store = useEffectEvent(options.pictures.store)
  const find = useEffectEvent(options.pictures.find)
  const onPictureError = useEffectEvent(options.pictures.onError)
  const [menus] = useState(createMenuStore)
  const [faces] = useState(createFaceStore)
  const { library } = references
  const all = useMemo(
    () => [
      ...noteExtensions,
      ...extensions,
      Checklists,
      Clipboard,
      PlainTables,
      Undirected,
      Placeholder.configure({
        placeholder: ({ node }) =>
          node.type.name === 'heading' ? t('Title') : t('Write, or type / for headings, lists, tables and more.'),
      }),
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
        findPassages: (words) => findPassages(words),
      }),
      documentLinks(faces, (place) => findTitle(place)),
    ],
    [extensions, menus, faces, library],
  )
  const editor = useEditor({
    extensions: all,
    ...(content ? { content } : {}),
    onCreate({ editor }) {
      // Don't move the caret of someone who has already clicked or typed.
      if (!editor.isFocused) editor.commands.focus(placeInView(editor), { scrollIntoView: false })
    },
    editorProps: {
      scrollMargin: EDGES,
      scrollThreshold: EDGES,
      attributes: { class: 'prose min-h-32', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
    },
  })
  return { editor, menus, faces }
}
