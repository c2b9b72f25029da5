import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

// Without the transforms, which would also autolink addresses escaped by a backslash.
const fromGfm = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension)

/** Parses CommonMark with GitHub's extensions. */
export function parseMarkdown(text: string): Root {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [fromGfm] })
  for (const node of nodesOf(root)) if ('children' in node) correctStarts(node.children)
  return root
}

/** An underlined heading directly after link definitions starts at the first of them in micromark's tree. */
function correctStarts(siblings: readonly Nodes[]): void {
  for (const [index, node] of siblings.entries()) {
    const start = node.type === 'heading' && node.children[0]?.position?.start
    if (start && node.position && siblings[index - 1]?.type === 'definition') node.position.start = start
  }
}

export function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
}
