import { type RefObject, useLayoutEffect, useState } from 'react'

/** As many columns of at least this width, with these gaps, as fit into an element; measured before it is painted.
 *  All in CSS pixels. */
export function useColumns(element: RefObject<HTMLElement | null>, narrowest: number, gap: number): number {
  const [columns, setColumns] = useState(1)
  // Measured before the first paint: a later change of columns would move everything.
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
