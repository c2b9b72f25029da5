import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

// The transforms would also turn an address into a link that a backslash keeps from being one.
const fromGfm = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension)

/** The syntax tree of a text in CommonMark with GitHub's extensions. */
export const parseMarkdown = (text: string): Root =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [fromGfm] })

/** All nodes of a tree, parents before their children. */
export function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
}
