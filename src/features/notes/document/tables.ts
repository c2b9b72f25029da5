import { Node } from '@tiptap/core'
import { tableEditing } from '@tiptap/pm/tables'

/** GFM tables: a header row, single-paragraph cells, aligned columns, no spans. prosemirror-tables needs the
 *  attributes. */
const cellAttributes = () => ({
  colspan: { default: 1, rendered: false, parseHTML: () => 1 },
  rowspan: { default: 1, rendered: false, parseHTML: () => 1 },
  colwidth: { default: null, rendered: false, parseHTML: () => null },
  align: {
    default: null,
    parseHTML: (element: HTMLElement) =>
      ['left', 'center', 'right'].find(
        (align) => align === (element.style.textAlign || element.getAttribute('align')),
      ) ?? null,
    renderHTML: ({ align }: Record<string, unknown>) => (align ? { style: `text-align: ${align}` } : {}),
  },
})

const ROLES: Record<string, { tableRole: string }> = {
  table: { tableRole: 'table' },
  tableRow: { tableRole: 'row' },
  tableHeader: { tableRole: 'header_cell' },
  tableCell: { tableRole: 'cell' },
}

export const TableCell = Node.create({
  name: 'tableCell',
  content: 'paragraph',
  isolating: true,
  addAttributes: cellAttributes,
  parseHTML: () => [{ tag: 'td' }],
  renderHTML: ({ HTMLAttributes }) => ['td', HTMLAttributes, 0],
})

export const TableHeader = Node.create({
  name: 'tableHeader',
  content: 'paragraph',
  isolating: true,
  addAttributes: cellAttributes,
  parseHTML: () => [{ tag: 'th' }],
  renderHTML: ({ HTMLAttributes }) => ['th', HTMLAttributes, 0],
})

export const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ HTMLAttributes }) => ['tr', HTMLAttributes, 0],
})

export const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: ({ HTMLAttributes }) => ['table', { ...HTMLAttributes, dir: 'auto' }, ['tbody', 0]],
  addProseMirrorPlugins: () => [tableEditing()],
  extendNodeSchema: ({ name }) => ROLES[name] ?? {},
})
