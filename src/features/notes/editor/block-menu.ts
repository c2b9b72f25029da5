import { type ChainedCommands, type Editor, Extension, type Range } from '@tiptap/core'
import { PluginKey, TextSelection } from '@tiptap/pm/state'
import { Suggestion } from '@tiptap/suggestion'
import {
  FileSymlink,
  Heading1,
  Heading2,
  Heading3,
  Image as ImageIcon,
  List,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  Minus,
  Quote,
  SquareCode,
  Table as TableIcon,
} from 'lucide-react'
import { msg, t } from '../../../lib/i18n/i18n.ts'
import { toggleChecklist } from './checklists.ts'
import { type MenuEntry, type MenuStore, renderInto } from './menu-store.ts'
import { choosePictures } from './pictures.ts'

const ROWS = 3
const COLUMNS = 3

/** Inserts a table in place of an empty paragraph or after the current block, with the caret in its first cell. */
function insertTable(editor: Editor): void {
  const { table, tableRow, tableHeader, tableCell, paragraph } = editor.schema.nodes
  if (!table || !tableRow || !tableHeader || !tableCell || !paragraph) return
  const rows = Array.from({ length: ROWS }, (_, row) =>
    tableRow.create(
      null,
      Array.from({ length: COLUMNS }, () => (row === 0 ? tableHeader : tableCell).create(null, paragraph.create())),
    ),
  )
  editor
    .chain()
    .focus()
    .command(({ tr }) => {
      const { $from } = tr.selection
      const at = $from.before()
      tr.replaceSelectionWith(table.create(null, rows))
      tr.setSelection(TextSelection.near(tr.doc.resolve(tr.mapping.map(at, -1) + 1))).scrollIntoView()
      return true
    })
    .run()
}

/** Entries of the `/` menu: label, Markdown shortcut, icon and command. */
const BLOCKS: readonly [string, string, LucideIcon, (editor: Editor) => void][] = [
  [msg('Heading 1'), '#', Heading1, inBlock((chain) => chain.setHeading({ level: 1 }))],
  [msg('Heading 2'), '##', Heading2, inBlock((chain) => chain.setHeading({ level: 2 }))],
  [msg('Heading 3'), '###', Heading3, inBlock((chain) => chain.setHeading({ level: 3 }))],
  [msg('List'), '-', List, inBlock((chain) => chain.toggleBulletList())],
  [msg('Numbered list'), '1.', ListOrdered, inBlock((chain) => chain.toggleOrderedList())],
  [msg('Checklist'), '[ ]', ListChecks, toggleChecklist],
  [msg('Quote'), '>', Quote, inBlock((chain) => chain.toggleBlockquote())],
  [msg('Code'), '```', SquareCode, inBlock((chain) => chain.setCodeBlock())],
  [msg('Table'), '', TableIcon, insertTable],
  [msg('Picture'), '', ImageIcon, choosePictures],
  [msg('Divider'), '---', Minus, inBlock((chain) => chain.setHorizontalRule())],
  [msg('Link to a document'), '[[', FileSymlink, inBlock((chain) => chain.insertContent('[['))],
]

function inBlock(change: (chain: ChainedCommands) => ChainedCommands) {
  return (editor: Editor): void => void change(editor.chain().focus()).run()
}

export const blockMenu = (store: MenuStore) =>
  Extension.create({
    name: 'blockMenu',
    priority: 200,
    addProseMirrorPlugins() {
      return [
        Suggestion<MenuEntry>({
          editor: this.editor,
          pluginKey: new PluginKey('blockMenu'),
          char: '/',
          allow: ({ state, range }) => !state.doc.resolve(range.from).parent.type.spec.code,
          items: ({ query }) => entriesFor(query),
          command: ({ editor, range, props }) => props.run(editor, range),
          render: renderInto(store, t('Insert')),
        }),
      ]
    },
  })

const entriesFor = (query: string): MenuEntry[] =>
  BLOCKS.map(([label, hint, icon, run]) => ({
    id: label,
    label: t(label),
    hint,
    icon,
    run: (editor: Editor, range: Range) => {
      editor.chain().focus().deleteRange(range).run()
      run(editor)
    },
  })).filter(({ id, label }) => [id, label].some((name) => name.toLowerCase().includes(query.toLowerCase())))
