import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { createPlaceKeeper, type PlaceKeeper, type ReadingPosition, type View } from './reading-place.ts'

type ReadingPlace = {
  page: number
  /** Scrolls to a place; does nothing before there are pages. */
  show: (place: ReadingPosition) => void
}

/** Tracks the reading place in a column of pages (`data-page`) and keeps it through layout changes.
 *  @param pages The number of pages; 0 until they are rendered.
 *  @param onPage Also called with the first page. */
export function useReadingPlace(
  column: RefObject<HTMLElement | null>,
  pages: number,
  onPage: (page: number) => void,
): ReadingPlace {
  const keeper = useRef<PlaceKeeper>(undefined)
  const [page, setPage] = useState(1)
  const tellPage = useEffectEvent((now: number) => {
    setPage(now)
    onPage(now)
  })
  useEffect(() => {
    const element = column.current
    if (!element || pages === 0) return
    const placeKeeper = createPlaceKeeper(viewOf(element, pages), (now) => tellPage(now))
    keeper.current = placeKeeper
    tellPage(1)
    addEventListener('scroll', placeKeeper.onScroll, { passive: true })
    addEventListener('resize', placeKeeper.onLayout)
    const observer = new ResizeObserver(placeKeeper.onLayout)
    observer.observe(element)
    return () => {
      keeper.current = undefined
      removeEventListener('scroll', placeKeeper.onScroll)
      removeEventListener('resize', placeKeeper.onLayout)
      observer.disconnect()
    }
  }, [column, pages])
  return { page, show: (place) => keeper.current?.show(place) }
}

function viewOf(column: HTMLElement, pages: number): View {
  const sheets = column.getElementsByClassName('pdf-sheet')
  return {
    pages,
    sheetOf: (page) => sheets[page - 1]?.getBoundingClientRect() ?? { top: 0, height: 0 },
    windowHeight: () => innerHeight,
    scrolled: () => scrollY,
    scrollBy: (pixels) => scrollBy({ top: pixels, behavior: 'instant' }),
    layout: () => {
      const { width, height } = column.getBoundingClientRect()
      return [innerHeight, width, height, sheets[0]?.clientWidth].join()
    },
  }
}
