import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

// Without the transforms, which would also autolink addresses escaped by a backslash.
const fromGfm = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension)

/** Parses CommonMark with GitHub's extensions. */
export function parseMarkdown(text: string): Root {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [fromGfm] })
  for (const node of nodesOf(root)) {
    // In micromark's tree, an underlined heading directly after link definitions starts at the first of them.
    const start = node.type === 'heading' && node.children[0]?.position?.start
    if (start && node.position && text[node.position.start.offset ?? 0] === '[') node.position.start = start
  }
  return root
}

export function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
}
