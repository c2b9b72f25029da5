import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { hasDirection } from '../../../lib/i18n/direction.ts'

/** Marks paragraphs without a letter, which have no direction of their own: an empty one, "/", "1822". They take the direction of
 *  what they are in; otherwise the caret would be on the left of an Arabic note until the first letter is typed. */
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

/** Whether a block has a direction. The nodes of a document never change: only those that somebody types in are looked through again. */
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
