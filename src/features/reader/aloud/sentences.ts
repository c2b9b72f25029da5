export type Sentence = { readonly text: string; readonly range: Range }

/** Returns the elements with a document's text, possibly in a frame; several for a PDF. */
export function textRoots(article: Element): Element[] {
  const inside = [...article.querySelectorAll('iframe')].flatMap((frame) => frame.contentDocument ?? [])
  return [article, ...inside].flatMap((tree) => [...tree.querySelectorAll('[data-readable]')])
}

const BLOCK = 'p, li, dt, dd, h1, h2, h3, h4, h5, h6, td, th, blockquote, figcaption, pre, div, main, section'

/** Returns the text nodes of each paragraph, heading, list item and cell, in order. */
export function blocksOf(roots: readonly Element[]): Text[][] {
  const blocks: Text[][] = []
  let last: Element | null = null
  for (const root of roots) {
    const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: node } = walker
      if (!isText(node)) continue
      const block = node.parentElement?.closest(BLOCK) ?? root
      const current = blocks.at(-1)
      if (block === last && current) current.push(node)
      else blocks.push([node])
      last = block
    }
  }
  return blocks.filter((nodes) => nodes.some(({ data }) => /\p{L}|\p{N}/u.test(data)))
}

// Nodes in a frame aren't instances of this window's Text.
const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE

/** Characters. Network voices stop after about fifteen seconds. */
const MAX_LENGTH = 220

/** Splits a block into sentences, and long ones into parts. @param language BCP 47. */
export function sentencesOf(block: readonly Text[], language: string): Sentence[] {
  const whole = block.map(({ data }) => data).join('')
  const segments = [...new Intl.Segmenter(language, { granularity: 'sentence' }).segment(whole)]
  return segments.flatMap(({ segment, index }) =>
    partsOf(segment).flatMap(({ text, at }) => {
      const spoken = text.trim()
      const start = index + at + text.indexOf(spoken)
      return /\p{L}|\p{N}/u.test(spoken) ? [{ text: spoken, range: rangeIn(block, start, start + spoken.length) }] : []
    }),
  )
}

/** Splits a text into parts of at most MAX_LENGTH characters, after punctuation if possible, else after a word. */
function partsOf(text: string): { text: string; at: number }[] {
  const parts: { text: string; at: number }[] = []
  let at = 0
  while (text.length - at > MAX_LENGTH) {
    const next = text.slice(at, at + MAX_LENGTH)
    const end = lastIndex(next, /[,;:–—،؛]\s/g) || lastIndex(next, /\s/g) || MAX_LENGTH
    parts.push({ text: next.slice(0, end), at })
    at += end
  }
  return [...parts, { text: text.slice(at), at }]
}

const lastIndex = (text: string, pattern: RegExp): number => {
  const match = [...text.matchAll(pattern)].at(-1)
  return match ? match.index + match[0].length : 0
}

function rangeIn(nodes: readonly Text[], start: number, end: number): Range {
  const range = (nodes[0]?.ownerDocument ?? document).createRange()
  let before = 0
  for (const node of nodes) {
    const after = before + node.length
    if (start >= before && start < after) range.setStart(node, start - before)
    if (end > before && end <= after) range.setEnd(node, end - before)
    before = after
  }
  return range
}
