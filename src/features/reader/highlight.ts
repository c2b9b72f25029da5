import { locate } from './locate.ts'

const NAME = 'passage'

/** Marks a passage in what is drawn, without touching the elements (CSS Custom Highlight API), and brings it into view.
 *  @returns whether it was found. Browsers without the API still scroll to it. */
export function highlightPassage(root: HTMLElement, passage: string): boolean {
  const range = rangeOf(root, passage)
  if (!range) return false
  if ('highlights' in CSS) CSS.highlights.set(NAME, new Highlight(range))
  const place = range.startContainer.parentElement
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  place?.scrollIntoView({ block: 'center', behavior: calm ? 'auto' : 'smooth' })
  return true
}

export function clearHighlight(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME)
}

/** The stretch of a tree's text that holds a passage. */
export function rangeOf(root: HTMLElement, passage: string): Range | undefined {
  const nodes: { node: Text; start: number }[] = []
  let text = ''
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (!(node instanceof Text)) continue
    nodes.push({ node, start: text.length })
    text += node.data
  }
  const span = locate(text, passage)
  if (!span) return undefined
  const from = nodes.findLast(({ start }) => start <= span.start)
  const to = nodes.findLast(({ start }) => start < span.end)
  if (!from || !to) return undefined
  const range = document.createRange()
  range.setStart(from.node, span.start - from.start)
  range.setEnd(to.node, span.end - to.start)
  return range
}
