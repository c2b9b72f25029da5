import type { HighlightColor } from '../../../domain/highlight-colors.ts'
import type { Anchor, Remark } from '../anchors.ts'
import { locate, locateAll } from './locate.ts'

/** Highlight names used by the styles. */
export type Mark = 'passage' | 'comments' | `marker-${HighlightColor}` | 'found' | 'found-here' | 'spoken'

export function rangeOf(root: Node, { quote, start }: Pick<Anchor, 'quote' | 'start'>): Range | undefined {
  const text = textOf(root)
  const span = locate(text.whole, quote, start ?? 0)
  return span && text.range(span.start, span.end)
}

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
    const range = (root.ownerDocument ?? document).createRange()
    range.setStart(from.node, start - from.start)
    range.setEnd(to.node, end - to.start)
    return range
  }
  return { whole, range }
}

/** Marks ranges without changing elements (CSS Custom Highlight API). Several parts may share a name; without browser
 *  support, does nothing.
 *  @returns a function that removes these marks. */
export function mark(name: Mark, ranges: readonly Range[]): () => void {
  // A frame has its own highlight registry.
  const view = ranges[0]?.startContainer.ownerDocument?.defaultView as (Window & typeof globalThis) | null | undefined
  if (!view || !('highlights' in view.CSS)) return () => {}
  const shared = view.CSS.highlights.get(name) ?? new view.Highlight()
  for (const range of ranges) shared.add(range)
  view.CSS.highlights.set(name, shared)
  return () => {
    for (const range of ranges) shared.delete(range)
  }
}

/** Marks comments and highlights in their colors. @returns a function that removes these marks. */
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

/** Scrolls a range to the middle of the window, also within a frame. */
export function reveal(range: Range): void {
  const view = range.startContainer.ownerDocument?.defaultView
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const behavior = calm ? 'auto' : 'smooth'
  const frame = view?.frameElement
  if (frame) {
    // Frames have full height, so the page around them scrolls.
    const top = frame.getBoundingClientRect().top + range.getBoundingClientRect().top + scrollY
    scrollTo({ top: top - innerHeight / 2, behavior })
  } else range.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior })
}
