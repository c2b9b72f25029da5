/** A place in a document: a share of a page's height, and the line of the window where it is. */
export type ReadingPosition = { page: number; share: number; line: Line }
/** What somebody went to is below the bars, so that its page begins there; what they scrolled to, in the middle. */
type Line = 'below the bars' | 'middle'

/** A column of pages as it is in the window. All lengths are in pixels. */
export type View = {
  pages: number
  /** Where a page is: `top` is measured from the window's upper edge. Pages of one spread have one `top`. */
  sheetOf: (page: number) => { top: number; height: number }
  windowHeight: () => number
  scrolled: () => number
  /** At once, as far as the window can be scrolled. */
  scrollBy: (pixels: number) => void
  /** Different whenever the window or the pages have another size. */
  layout: () => string
}

export type PlaceKeeper = {
  place: () => ReadingPosition
  /** Brings a place into view. */
  show: (place: ReadingPosition) => void
  /** To be called when the window has been scrolled, by whomever. */
  onScroll: () => void
  /** To be called when the layout may have changed. */
  onLayout: () => void
}

/** Pixels between the window's upper edge and a place that was gone to. */
const BELOW_BARS = 152

const heightOf = (line: Line, { windowHeight }: View): number =>
  line === 'middle' ? windowHeight() / 2 : Math.min(BELOW_BARS, windowHeight() / 2)

/** Knows what is being read, and keeps it in view. Only a reader who scrolls changes it: when the layout changes, browsers move
 *  the window too, and what is at a line of it then is another page.
 *  @param onPage Called when the reader has come to another page. */
export function createPlaceKeeper(view: View, onPage: (page: number) => void): PlaceKeeper {
  let place: ReadingPosition = { page: 1, share: 0, line: 'below the bars' }
  let known = view.layout()
  /** Where the window was left by us; undefined once the reader has scrolled. */
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
  /** At the beginning of a document nobody is anywhere yet, and what is above its pages stays in view. */
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

/** What is at a line: between two pages it is the end of the upper one, and of a spread its first page. */
function placeAt(line: Line, view: View): ReadingPosition {
  const height = heightOf(line, view)
  let page = lastAbove(height, view)
  const { top } = view.sheetOf(page)
  while (page > 1 && view.sheetOf(page - 1).top === top) page -= 1
  const { height: whole } = view.sheetOf(page)
  return { page, share: Math.min(1, Math.max(0, (height - top) / whole)), line }
}

/** The last page that begins above a height, found in as few looks as a document of thousands of pages needs. */
function lastAbove(height: number, view: View): number {
  let [low, high] = [1, view.pages]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (view.sheetOf(middle).top <= height) low = middle
    else high = middle - 1
  }
  return low
}
