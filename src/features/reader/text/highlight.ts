import type { HighlightColor } from '../../../domain/highlight-colors.ts'
import type { Anchor, Remark } from '../anchors.ts'
import { locate, locateAll } from './locate.ts'

/** What is marked in what is drawn, by the name under which the styles know it. */
export type Mark = 'passage' | 'comments' | `marker-${HighlightColor}` | 'found' | 'found-here' | 'spoken'

/** The stretch of a tree's text that holds a quote. */
export function rangeOf(root: Node, { quote, start }: Pick<Anchor, 'quote' | 'start'>): Range | undefined {
  const text = textOf(root)
  const span = locate(text.whole, quote, start ?? 0)
  return span && text.range(span.start, span.end)
}

/** Every place of a tree's text that has these words, in order. */
export function rangesOf(root: Node, words: string): Range[] {
  const text = textOf(root)
  return locateAll(text.whole, words).flatMap(({ start, end }) => text.range(start, end) ?? [])
}

function textOf(root: Node) {
  const nodes: { node: Text; start: number }[] = []
  let whole = ''
  const walker = (root.ownerDocument ?? document).createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    nodes.push({ node, start: whole.length })
    whole += node.data
  }
  const range = (start: number, end: number): Range | undefined => {
    const from = nodes.findLast((one) => one.start <= start)
    const to = nodes.findLast((one) => one.start < end)
    if (!from || !to) return undefined
    const made = (root.ownerDocument ?? document).createRange()
    made.setStart(from.node, start - from.start)
    made.setEnd(to.node, end - to.start)
    return made
  }
  return { whole, range }
}

/** Marks ranges without touching the elements (CSS Custom Highlight API). Several parts of a document may mark under one
 *  name; browsers without the API mark nothing.
 *  @returns what takes these marks away again. */
export function mark(name: Mark, ranges: readonly Range[]): () => void {
  // A frame has a window, and so a registry, of its own.
  const view = ranges[0]?.startContainer.ownerDocument?.defaultView as (Window & typeof globalThis) | null | undefined
  if (!view || !('highlights' in view.CSS)) return () => {}
  const shared = view.CSS.highlights.get(name) ?? new view.Highlight()
  for (const range of ranges) shared.add(range)
  view.CSS.highlights.set(name, shared)
  return () => {
    for (const range of ranges) shared.delete(range)
  }
}

/** Marks commented and highlighted places, each in its colour.
 *  @returns what takes these marks away again. */
export function markRemarks(root: Node, remarks: readonly Pick<Remark, 'quote' | 'start' | 'color'>[]): () => void {
  const byMark = Map.groupBy(remarks, ({ color }): Mark => (color ? `marker-${color}` : 'comments'))
  const clear = [...byMark].map(([name, places]) =>
    mark(
      name,
      places.flatMap((place) => rangeOf(root, place) ?? []),
    ),
  )
  return () => {
    for (const take of clear) take()
  }
}

/** Brings a range into the middle of the window, that of a frame included. */
export function reveal(range: Range): void {
  const view = range.startContainer.ownerDocument?.defaultView
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const behavior = calm ? 'auto' : 'smooth'
  const frame = view?.frameElement
  if (frame) {
    // The frame is as high as its content: what scrolls is the page around it.
    const top = frame.getBoundingClientRect().top + range.getBoundingClientRect().top + scrollY
    scrollTo({ top: top - innerHeight / 2, behavior })
  } else range.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior })
}
