import { type RefObject, useEffect, useMemo, useState } from 'react'
import { lastBefore, nestHeadings, type Outline } from './outline.ts'

const MIN_HEADINGS = 2
/** More than anyone would browse, such as one per table row. */
const MAX_HEADINGS = 2000
/** Pixels: the line that decides the current heading, below the bars. */
const LINE = 150
/** Pixels above a heading after a jump. */
const BELOW_BARS = 116

/** Returns the headings in an element, or in its full-height frame.
 *  @param drawn Changes with the element's content; null while there is none. */
export function useTextOutline(root: RefObject<HTMLElement | null>, drawn: unknown): Outline | undefined {
  const [headings, setHeadings] = useState<readonly HTMLElement[]>([])
  const [current, setCurrent] = useState(-1)

  useEffect(() => {
    if (!root.current || drawn === null) return setHeadings([])
    const headings = root.current.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6')
    setHeadings([...headings].filter(({ textContent }) => textContent.trim() !== '').slice(0, MAX_HEADINGS))
  }, [root, drawn])

  useEffect(() => {
    if (headings.length < MIN_HEADINGS) return
    let frame = 0
    const look = () => {
      frame = 0
      setCurrent(lastBefore(headings.length, (index) => topOf(headings[index]), LINE))
    }
    const listen = () => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    addEventListener('scroll', listen, { passive: true })
    return () => {
      removeEventListener('scroll', listen)
      cancelAnimationFrame(frame)
    }
  }, [headings])

  const items = useMemo(() => nestHeadings(headings.map(titleAndLevel)), [headings])
  if (headings.length < MIN_HEADINGS) return undefined
  return {
    items,
    current: current === -1 ? undefined : String(current),
    onGo: (id) => scrollTo({ top: scrollY + topOf(headings[Number(id)]) - BELOW_BARS }),
  }
}

const titleAndLevel = ({ tagName, textContent }: HTMLElement) => ({
  title: textContent.replaceAll(/\s+/g, ' ').trim(),
  level: Number(tagName.slice(1)),
})

/** Returns an element's top in the window, in pixels. */
function topOf(element: HTMLElement | undefined): number {
  const frame = element?.ownerDocument.defaultView?.frameElement
  return (element?.getBoundingClientRect().top ?? 0) + (frame?.getBoundingClientRect().top ?? 0)
}
