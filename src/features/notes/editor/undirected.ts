import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { hasDirection } from '../../../lib/i18n/direction.ts'

/** Marks paragraphs without letters (empty, "/", "1822"), which have no direction, so that they inherit one. Otherwise
 *  the caret of an empty Arabic note would be on the left. */
export const Undirected = Extension.create({
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
