import type { Node } from '@tiptap/pm/model'
import type { Definition, Root } from 'mdast'
import { toMarkdown } from 'mdast-util-to-markdown'
import { blockFrom } from './blocks-from-markdown.ts'
import { noteSchema } from './extensions.ts'
import { nodesOf, parseMarkdown } from './parse.ts'

/** Only at the beginning and with a key, because `---` is also a divider. */
const FRONT_MATTER = /^---[ \t]*\r?\n[\w-]+[ \t]*:[\s\S]*?\n---[ \t]*(?:\r?\n|$)/

const { doc: docType, paragraph, sourceBlock } = noteSchema.nodes

/** Parses a note. The `source` attributes of top-level blocks, including whitespace, make up the text. */
export function readMarkdown(text: string): Node {
  const [frontMatter = ''] = FRONT_MATTER.exec(text) ?? []
  const rest = text.slice(frontMatter.length)
  const blocks = readBlocks(rest)
  if (frontMatter) {
    const source = blocks.length === 0 ? text : frontMatter
    blocks.unshift(sourceBlock.create({ source }, noteSchema.text(trimSource(source))))
  }
  if (blocks.length === 0) blocks.push(paragraph.create({ source: text }))
  return docType.create(null, blocks)
}

/** Parses a text's blocks from an offset on; the text before has definitions they need. */
export function readBlocks(text: string, from = 0): Node[] {
  const root = parseMarkdown(text)
  const definitions = definitionsOf(root)
  const blocks = root.children.filter(({ position }) => (position?.start.offset ?? 0) >= from)
  const starts = blocks.map(({ position }) => lineStart(text, position?.start.offset ?? 0))
  return blocks.map((block, index) => {
    const source = text.slice(index === 0 ? from : starts[index], starts[index + 1])
    const raw = trimSource(text.slice(starts[index], block.position?.end.offset))
    const node = blockFrom(block, { text, definitions, raw })
    return node.type.create({ ...node.attrs, source }, node.content)
  })
}

function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>()
  for (const node of nodesOf(root)) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node)
  }
  return definitions
}

/** Returns a document's definitions as Markdown to put before a block: link definitions, and stubs of footnotes. */
export function definitionsIn(doc: Node): string {
  let definitions = ''
  doc.descendants((node) => {
    if (node.type.name === sourceBlock.name) definitions += definitionsOfBlock(node)
    return !node.isTextblock
  })
  return definitions
}

const knownDefinitions = new WeakMap<Node, string>()

function definitionsOfBlock(block: Node): string {
  const cached = knownDefinitions.get(block)
  if (cached !== undefined) return cached
  let definitions = ''
  if (/^[ \t]*\[/.test(block.textContent)) {
    for (const node of nodesOf(parseMarkdown(block.textContent))) {
      if (node.type === 'definition') definitions += `${toMarkdown(node)}\n`
      if (node.type === 'footnoteDefinition') definitions += `[^${node.label ?? node.identifier}]: -\n\n`
    }
  }
  knownDefinitions.set(block, definitions)
  return definitions
}

/** Returns the start of a block's line if only spaces precede the block. */
function lineStart(text: string, offset: number): number {
  let start = offset
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1
  return start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r' ? start : offset
}

/** Trims blank lines and normalizes line ends. */
export const trimSource = (source: string): string =>
  source
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .replace(/[ \t\n]+$/, '')
