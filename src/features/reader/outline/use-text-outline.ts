import { type RefObject, useEffect, useMemo, useState } from 'react'
import { lastBefore, nestHeadings, type Outline } from './outline.ts'

/** One heading leads nowhere: it is the beginning. */
const FEWEST = 2
/** More headings than anybody reads through, such as one for each line of a table. */
const MOST = 2000
/** Pixels below the window's upper edge: what is above is hidden by the bars, or read. */
const LINE = 150
/** Pixels between the window's upper edge and a heading that was jumped to. */
const BELOW_BARS = 116

/** The headings of what an element shows, also of one in a frame that is as high as its content.
 *  @param drawn Changes with the element's content; null while there is none. */
export function useTextOutline(root: RefObject<HTMLElement | null>, drawn: unknown): Outline | undefined {
  const [headings, setHeadings] = useState<readonly HTMLElement[]>([])
  const [current, setCurrent] = useState(-1)

  useEffect(() => {
    if (!root.current || drawn === null) return setHeadings([])
    const found = root.current.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6')
    setHeadings([...found].filter(({ textContent }) => textContent.trim() !== '').slice(0, MOST))
  }, [root, drawn])

  useEffect(() => {
    if (headings.length < FEWEST) return
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
  if (headings.length < FEWEST) return undefined
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

/** An element's upper edge in the window, in pixels. */
function topOf(element: HTMLElement | undefined): number {
  const frame = element?.ownerDocument.defaultView?.frameElement
  return (element?.getBoundingClientRect().top ?? 0) + (frame?.getBoundingClientRect().top ?? 0)
}
