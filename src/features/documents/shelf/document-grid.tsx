import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { useVirtualRows } from '../../../lib/ui/use-virtual-rows.ts'
import { DocumentCard, type ShelfProps } from './document-card.tsx'
import { useShelfKeys } from './use-shelf-keys.ts'

/** CSS pixels. */
const DENSE = { narrowest: 296, gap: 12, row: 136 }
const LARGE = { narrowest: 236, gap: 20, row: 352 }

/** Renders only the visible rows.
 *  @param isLarge Whether the cover is above the title, with the first lines, or next to it. */
export function DocumentGrid({
  documents,
  positions,
  favorites,
  hasMore,
  onMore,
  isLarge,
  ...card
}: ShelfProps & { isLarge: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const { narrowest, gap, row } = isLarge ? LARGE : DENSE
  const columns = useColumns(list, narrowest, gap)
  const count = Math.ceil(documents.length / columns)
  const { rows, top, height, measure, reveal } = useVirtualRows(list, { count, estimate: row, gap, hasMore, onMore })
  useShelfKeys(list, documents, card.selection, (index) => reveal(Math.floor(index / columns)))
  const first = (rows[0]?.index ?? 0) * columns
  return (
    <ul
      ref={list}
      aria-label={t('Documents')}
      className="grid"
      style={{
        gap,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        paddingTop: (rows[0]?.start ?? top) - top,
        paddingBottom: Math.max(0, height - ((rows.at(-1)?.end ?? top) - top)),
      }}
    >
      {documents.slice(first, first + rows.length * columns).map((document, place) => (
        <li
          key={document.id}
          // Cards in a row have equal heights, so measuring one is enough.
          ref={place % columns === 0 ? measure : undefined}
          data-index={(first + place) / columns}
          aria-setsize={hasMore ? -1 : documents.length}
          aria-posinset={first + place + 1}
        >
          <DocumentCard
            document={document}
            position={positions.get(document.id)}
            isFavorite={favorites.has(document.id)}
            isLarge={isLarge}
            {...card}
          />
        </li>
      ))}
    </ul>
  )
}

/** Returns how many columns fit into an element, in CSS pixels. */
function useColumns(element: RefObject<HTMLElement | null>, narrowest: number, gap: number): number {
  const [columns, setColumns] = useState(1)
  // Measured before the first paint to avoid a layout shift.
  useLayoutEffect(() => {
    if (!element.current) return
    const measure = (width: number) => setColumns(Math.max(1, Math.floor((width + gap) / (narrowest + gap))))
    measure(element.current.getBoundingClientRect().width)
    const observer = new ResizeObserver(([entry]) => {
      if (entry) measure(entry.contentRect.width)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, narrowest, gap])
  return columns
}
