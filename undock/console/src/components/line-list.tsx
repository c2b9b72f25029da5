import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

type LineListProps<Item> = {
  label: string
  items: readonly Item[]
  /** Keeps a line's element, and so the focus, when others arrive before it. */
  keyOf: (item: Item) => string | number
  children: (item: Item) => ReactNode
  /** Whether to scroll to new lines while the end is in view. */
  followsEnd?: boolean
}

/** Pixels, before a line is measured. */
const LINE_HEIGHT = 36

/** A scrolling box of lines of any height that renders only visible ones. */
export function LineList<Item>({ label, items, keyOf, children, followsEnd = false }: LineListProps<Item>) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => keyOf(items[index] as Item),
    overscan: 20,
  })
  useEffect(() => {
    if (followsEnd && isAtEnd.current) rows.scrollToIndex(items.length - 1)
  }, [followsEnd, items.length, rows])
  return (
    <section
      ref={box as RefObject<HTMLElement>}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by keys
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 2 * LINE_HEIGHT
      }}
    >
      <ol aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const item = items[index]
          return item === undefined ? null : (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              className="absolute inset-x-0 top-0 border-b"
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(item)}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
