import { type Node, DOMParser as NodeParser } from '@tiptap/pm/model'
import { blockToMarkdown, isEmptyParagraph } from './blocks-to-markdown.ts'
import { noteSchema } from './extensions.ts'
import { definitionsIn, readBlocks, readMarkdown, trimSource } from './read-markdown.ts'

/** Writes a note as Markdown. Blocks that still equal their source are written as that source, which keeps the author's
 *  style; others get a uniform one. Empty paragraphs and spaces at the edges of lines and emphasis are dropped, because
 *  Markdown can't represent them. */
export function writeMarkdown(doc: Node): string {
  const blocks = doc.children.filter((block) => !isEmptyParagraph(block)).map(inNoteSchema)
  const [first, ...others] = blocks
  if (!first) return blankSource(doc)
  const context: Context = {
    definitions: definitionsIn(doc),
    lineEnd: blocks.some(({ attrs }) => attrs.source?.includes('\r\n')) ? '\r\n' : '\n',
  }
  rememberRead(blocks, context.definitions)
  let last = pieceOf(first, context)
  const written: string[] = []
  for (const block of others) {
    const join = joinOf(last, pieceOf(block, context), context)
    written.push(join.before, join.space)
    last = join.piece
  }
  return written.join('') + last.text + spaceAfter(last)
}

/** Elements that Markdown has a notation for. */
const FORMATTING = 'h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, a[href], b, strong, i, em, s, code'

/** @returns undefined for HTML that only has colors and fonts, as code editors copy: its plain text says more. */
export function htmlToMarkdown(html: string): string | undefined {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return body.querySelector(FORMATTING) ? writeMarkdown(NodeParser.fromSchema(noteSchema).parse(body)) : undefined
}

const own = new WeakMap<Node, Node>()

/** The editor creates its own schema, and nodes of different schemas are never equal. */
function inNoteSchema(block: Node): Node {
  if (block.type.schema === noteSchema) return block
  const node = own.get(block) ?? noteSchema.nodeFromJSON(block.toJSON())
  own.set(block, node)
  return node
}

/** @property definitions What a block's source may refer to: see definitionsIn. */
type Context = { definitions: string; lineEnd: string }
/** A block and its text without trailing whitespace. */
type Piece = { block: Node; text: string; isSource: boolean }
/** Two adjacent blocks: the first one's text, the space between them, and the second. */
type Join = { before: string; space: string; piece: Piece }

// Edits create new nodes for changed blocks only, so the text of others is cached.
const pieces = new WeakMap<Node, { context: Context; piece: Piece }>()
const joins = new WeakMap<Node, { context: Context; left: Piece; right: Piece; join: Join }>()

function pieceOf(block: Node, context: Context): Piece {
  const cached = pieces.get(block)
  if (cached && isSame(cached.context, context)) return cached.piece
  const piece: Piece = isItsSource(block, context)
    ? { block, text: withoutSpace(block.attrs.source), isSource: true }
    : written(block, context)
  pieces.set(block, { context, piece })
  return piece
}

const isSame = (one: Context, other: Context): boolean =>
  one.definitions === other.definitions && one.lineEnd === other.lineEnd

function isItsSource(block: Node, { definitions }: Context): boolean {
  const { source } = block.attrs
  if (source === null) return false
  if (wereRead([block], definitions)) return true
  if (block.type.name === 'sourceBlock') return trimSource(source) === block.textContent
  const [read, ...more] = readWith(definitions, source)
  return more.length === 0 && sameBlock(block, read)
}

const written = (block: Node, { lineEnd }: Context, listSign?: string): Piece => ({
  block,
  text: blockToMarkdown(block, listSign).replaceAll(/\r?\n/g, lineEnd),
  isSource: false,
})

const withoutSpace = (source: string): string => source.replace(/[ \t\r\n]+$/, '')
function spaceAfter({ block, isSource }: Piece): string {
  const [space = ''] = /[ \t\r\n]*$/.exec(block.attrs.source ?? '') ?? []
  return isSource ? space : space.replace(/^[ \t]+/, '')
}

function joinOf(left: Piece, right: Piece, context: Context): Join {
  const cached = joins.get(left.block)
  if (cached && isSame(cached.context, context) && cached.left === left && cached.right === right) return cached.join
  const join = joinAnew(left, right, context)
  joins.set(left.block, { context, left, right, join })
  return join
}

/** Separates blocks by a blank line, unless they were adjacent in the source. If that would be parsed differently, as
 *  for two lists, writes one of them in another form, and as a last resort inserts a comment. */
function joinAnew(left: Piece, right: Piece, context: Context): Join {
  const { lineEnd, definitions } = context
  const space = spaceAfter(left)
  const blank = /\n[ \t]*\r?\n/.test(space) ? space : lineEnd + lineEnd
  const plain: Join = { before: left.text, space: blank, piece: right }
  const areSources = left.isSource && right.isSource
  if (areSources && wereRead([left.block, right.block], definitions)) return { ...plain, space }
  const isRead = ({ before, space, piece }: Join) => {
    const [whole, ...parts] = [before + space + piece.text, before, piece.text].map((text) =>
      readWith(definitions, text),
    )
    const apart = parts.flat()
    return whole?.length === apart.length && whole.every((block, index) => sameBlock(block, apart[index]))
  }
  const ways: (() => Join)[] = [
    () => ({ ...plain, space: areSources && space ? space : blank }),
    () => plain,
    () => ({ ...plain, piece: written(right.block, context) }),
    ...['-', '*', '.', ')'].map((sign) => () => ({ ...plain, piece: written(right.block, context, sign) })),
    () => ({ ...plain, before: written(left.block, context).text }),
    () => ({ ...plain, space: `${lineEnd}${lineEnd}<!-- -->${lineEnd}${lineEnd}` }),
  ]
  for (const way of ways) {
    const join = way()
    if (isRead(join)) return join
  }
  return plain
}

const readWith = (definitions: string, text: string): Node[] =>
  text.includes('[') ? readBlocks(definitions + text, definitions.length) : readBlocks(text)

function blankSource(doc: Node): string {
  const source = doc.firstChild?.attrs.source ?? ''
  return source.trim() === '' ? source : ''
}

/** Blocks that equal their source, with the block that followed them there. */
const unchanged = new WeakMap<Node, { next: Node | undefined; definitions: string }>()
const seen = new WeakSet<Node>()

/** Marks the blocks that equal their sources with a single parse of the joined sources, because a source's meaning
 *  depends on what precedes it. Single changed blocks are checked individually. */
function rememberRead(blocks: readonly Node[], definitions: string): void {
  const sourced = blocks.filter(({ attrs }) => attrs.source !== null)
  const unseen = sourced.filter((block) => !seen.has(block))
  for (const block of unseen) seen.add(block)
  if (unseen.length < 2) return
  const text = readMarkdown(sourced.map(({ attrs }) => attrs.source).join(''))
  if (definitionsIn(text) !== definitions) return
  const read = text.children
  // An insertion or deletion in the middle shifts the blocks after it.
  const shift = read.length - sourced.length
  const isUnchanged = (block: Node, index: number) =>
    [read[index], read[index + shift]].some(
      (other) => other && other.attrs.source === block.attrs.source && sameBlock(block, other),
    )
  const matches = sourced.map(isUnchanged)
  for (const [index, block] of sourced.entries()) {
    if (matches[index]) unchanged.set(block, { next: matches[index + 1] ? sourced[index + 1] : undefined, definitions })
  }
}

/** Whether blocks are unchanged and consecutive as they were read, with these definitions. */
const wereRead = (blocks: readonly Node[], definitions: string): boolean =>
  blocks.every((block, index) => {
    const cached = unchanged.get(block)
    return cached?.definitions === definitions && (index + 1 === blocks.length || cached.next === blocks[index + 1])
  })

/** Whether two blocks are equal except for their sources. */
const sameBlock = (one: Node, other: Node | undefined): boolean =>
  other !== undefined &&
  one.type === other.type &&
  one.type.create({ ...one.attrs, source: other.attrs.source }, one.content).eq(other)
