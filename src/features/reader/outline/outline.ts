export type OutlineItem = { id: string; title: string; items: readonly OutlineItem[] }

export type Outline = {
  items: readonly OutlineItem[]
  current: string | undefined
  onGo: (id: string) => void
}

export type OutlineRow = {
  item: OutlineItem
  depth: number
  parent: string | undefined
  place: number
  siblings: number
  isOpen: boolean
}

/** Nests headings by level. Levels may skip: a deeper heading is nested in the previous one.
 *  @param headings Their ids are their indices. */
export function nestHeadings(headings: readonly { title: string; level: number }[]): OutlineItem[] {
  type Open = { level: number; items: OutlineItem[] }
  const root: Open = { level: 0, items: [] }
  const path: Open[] = [root]
  headings.forEach(({ title, level }, index) => {
    while (path.length > 1 && (path.at(-1) as Open).level >= level) path.pop()
    const items: OutlineItem[] = []
    ;(path.at(-1) as Open).items.push({ id: String(index), title, items })
    path.push({ level, items })
  })
  return root.items
}

export const countItems = (items: readonly OutlineItem[]): number =>
  items.reduce((sum, { items: inner }) => sum + 1 + countItems(inner), 0)

/** Returns the path to a heading, outermost first; empty if it's missing. */
export function pathTo(items: readonly OutlineItem[], id: string): string[] {
  for (const item of items) {
    if (item.id === id) return []
    const inner = pathTo(item.items, id)
    if (inner.length > 0 || item.items.some((child) => child.id === id)) return [item.id, ...inner]
  }
  return []
}

/** Returns the visible rows of the tree, in order. */
export function visibleRows(
  items: readonly OutlineItem[],
  isOpen: (item: OutlineItem) => boolean,
  depth = 1,
  parent?: string,
): OutlineRow[] {
  return items.flatMap((item, index) => {
    const open = item.items.length > 0 && isOpen(item)
    const row = { item, depth, parent, place: index + 1, siblings: items.length, isOpen: open }
    return open ? [row, ...visibleRows(item.items, isOpen, depth + 1, item.id)] : [row]
  })
}

/** Returns the last index whose position is within a limit, by bisection, or -1.
 *  @param positionOf Increases with the index. */
export function lastBefore(length: number, positionOf: (index: number) => number, limit: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (positionOf(middle) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
