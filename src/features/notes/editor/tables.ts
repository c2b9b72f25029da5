import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin, type Transaction } from '@tiptap/pm/state'
import { goToNextCell } from '@tiptap/pm/tables'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

const EMPTY_PARAGRAPH = 2

/** Tab moves to the next cell. Tables stay valid GFM: the first row is the header, and columns have one alignment. */
export const PlainTables = Extension.create({
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
