import type { Editor } from '@tiptap/core'
import { TextSelection } from '@tiptap/pm/state'

const ROWS = 3
const COLUMNS = 3

/** Inserts a table in place of an empty paragraph, or after the block with the caret, and puts the caret in its first cell. */
export function insertTable(editor: Editor): void {
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
