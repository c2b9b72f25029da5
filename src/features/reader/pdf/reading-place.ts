/** A place in a document: a fraction of a page's height, and the line of the window where it is. */
export type ReadingPosition = { page: number; share: number; line: Line }
/** Jumps go below the bars, so that pages begin there; scrolling is measured in the middle. */
type Line = 'below the bars' | 'middle'

/** A column of pages in the window, in pixels. */
export type View = {
  pages: number
  /** `top` is relative to the window. Pages of a spread share it. */
  sheetOf: (page: number) => { top: number; height: number }
  windowHeight: () => number
  scrolled: () => number
  /** Scrolls immediately, as far as possible. */
  scrollBy: (pixels: number) => void
  /** Changes with the size of the window or pages. */
  layout: () => string
}

export type PlaceKeeper = {
  place: () => ReadingPosition
  show: (place: ReadingPosition) => void
  onScroll: () => void
  onLayout: () => void
}

/** Pixels from the window's top to a place after a jump. */
const BELOW_BARS = 152

const heightOf = (line: Line, { windowHeight }: View): number =>
  line === 'middle' ? windowHeight() / 2 : Math.min(BELOW_BARS, windowHeight() / 2)

/** Tracks the reading place and keeps it in view. Only the reader's scrolling changes it, because browsers also scroll
 *  when the layout changes.
 *  @param onPage Called when the reader reaches another page. */
export function createPlaceKeeper(view: View, onPage: (page: number) => void): PlaceKeeper {
  let place: ReadingPosition = { page: 1, share: 0, line: 'below the bars' }
  let known = view.layout()
  /** The scroll position that we set; undefined once the reader has scrolled. */
  let left: number | undefined = view.scrolled()

  const set = (next: ReadingPosition) => {
    const isOther = next.page !== place.page
    place = next
    if (isOther) onPage(place.page)
  }
  const restore = () => {
    known = view.layout()
    const { top, height } = view.sheetOf(place.page)
    view.scrollBy(top + height * place.share - heightOf(place.line, view))
    left = view.scrolled()
  }
  /** At the start, keep what is above the pages in view. */
  const isAtStart = () => place.page === 1 && place.share === 0

  return {
    place: () => place,
    show: (next) => {
      set(next)
      restore()
    },
    onScroll: () => {
      if (view.layout() !== known) {
        if (isAtStart()) known = view.layout()
        else return restore()
      }
      if (left !== undefined && Math.abs(view.scrolled() - left) < 1) return
      left = undefined
      set(placeAt('middle', view))
    },
    onLayout: () => {
      if (view.layout() === known) return
      if (isAtStart()) known = view.layout()
      else restore()
    },
  }
}

/** Returns the place at a line: between pages the end of the upper one, in a spread the first page. */
function placeAt(line: Line, view: View): ReadingPosition {
  const height = heightOf(line, view)
  let page = lastAbove(height, view)
  const { top } = view.sheetOf(page)
  while (page > 1 && view.sheetOf(page - 1).top === top) page -= 1
  const { height: whole } = view.sheetOf(page)
  return { page, share: Math.min(1, Math.max(0, (height - top) / whole)), line }
}

/** Returns the last page that begins above a height, by bisection. */
function lastAbove(height: number, view: View): number {
  let [low, high] = [1, view.pages]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (view.sheetOf(middle).top <= height) low = middle
    else high = middle - 1
  }
  return low
}
