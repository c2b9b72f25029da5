import type { Node } from '@tiptap/pm/model'
import { definitionsIn, readMarkdown } from './read-markdown.ts'

/** Blocks that equal what their source says, each with the block that followed it there. */
const unchanged = new WeakMap<Node, { next: Node | undefined; definitions: string }>()
const seen = new WeakSet<Node>()

/** Finds out which blocks of a document equal what their sources say, with one reading of the text that the sources were: what a
 *  source means depends on what is before it. Changes of single blocks are left to a closer look. */
export function rememberRead(blocks: readonly Node[], definitions: string): void {
  const sourced = blocks.filter(({ attrs }) => attrs.source !== null)
  const unseen = sourced.filter((block) => !seen.has(block))
  for (const block of unseen) seen.add(block)
  if (unseen.length < 2) return
  const text = readMarkdown(sourced.map(({ attrs }) => attrs.source).join(''))
  if (definitionsIn(text) !== definitions) return
  const read = text.children
  // What is inserted or deleted in the middle moves the blocks after it.
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

/** Whether blocks are as they were read, one after the other, with these definitions. */
export const wereRead = (blocks: readonly Node[], definitions: string): boolean =>
  blocks.every((block, index) => {
    const known = unchanged.get(block)
    return known?.definitions === definitions && (index + 1 === blocks.length || known.next === blocks[index + 1])
  })

/** Whether two blocks are equal, wherever they were read. */
export const sameBlock = (one: Node, other: Node | undefined): boolean =>
  other !== undefined &&
  one.type === other.type &&
  one.type.create({ ...one.attrs, source: other.attrs.source }, one.content).eq(other)
