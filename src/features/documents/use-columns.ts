import { type RefObject, useEffect, useState } from 'react'

/** As many columns of at least this width, with these gaps, as fit into an element; one until its width is known.
 *  All in CSS pixels. */
export function useColumns(element: RefObject<HTMLElement | null>, narrowest: number, gap: number): number {
  const [columns, setColumns] = useState(1)
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setColumns(Math.max(1, Math.floor((entry.contentRect.width + gap) / (narrowest + gap))))
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, narrowest, gap])
  return columns
}
