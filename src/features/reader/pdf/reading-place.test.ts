import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPlaceKeeper, type PlaceKeeper, type ReadingPosition, type View } from './reading-place.ts'

type Look = { width: number; zoom: number; spread: boolean; windowHeight: number; header: number }

const GAP = 20

/** A window like in browsers: never scrolls beyond the end, even if that moves, and fires scroll events late. */
class FakeWindow {
  scrollY = 0
  look: Look
  readonly ratios: number[]
  isToTell = false

  constructor(ratios: readonly number[], look: Look) {
    this.ratios = [...ratios]
    this.look = look
  }

  sheets(): { top: number; height: number }[] {
    const { width, zoom, spread, header } = this.look
    const room = Math.floor((spread ? (width - 8) / 2 : width) * zoom)
    let top = header
    const sheets: { top: number; height: number }[] = []
    for (let index = 0; index < this.ratios.length; ) {
      const row = this.ratios.slice(index, index + (spread && index > 0 ? 2 : 1))
      const heights = row.map((ratio) => room * ratio)
      for (const height of heights) sheets.push({ top, height })
      top += Math.max(...heights) + GAP
      index += row.length
    }
    return sheets
  }

  get end(): number {
    const last = this.sheets().slice(-2)
    const bottom = Math.max(...last.map(({ top, height }) => top + height))
    return Math.max(0, bottom + 300 - this.look.windowHeight)
  }

  scrollTo(top: number): void {
    const before = this.scrollY
    this.scrollY = Math.min(this.end, Math.max(0, top))
    if (this.scrollY !== before) this.isToTell = true
  }

  tell(keeper: PlaceKeeper): void {
    if (this.isToTell) keeper.onScroll()
    this.isToTell = false
  }

  view(): View {
    return {
      pages: this.ratios.length,
      sheetOf: (page) => {
        const { top, height } = this.sheets()[page - 1] ?? { top: 0, height: 0 }
        return { top: top - this.scrollY, height }
      },
      windowHeight: () => this.look.windowHeight,
      scrolled: () => this.scrollY,
      scrollBy: (pixels) => this.scrollTo(this.scrollY + pixels),
      layout: () => JSON.stringify(this.sheets()),
    }
  }
}

const look = fc.record({
  width: fc.integer({ min: 280, max: 1800 }),
  zoom: fc.constantFrom(0.5, 0.75, 1, 1.25, 1.5, 2, 3),
  spread: fc.boolean(),
  windowHeight: fc.integer({ min: 300, max: 1400 }),
  header: fc.integer({ min: 0, max: 400 }),
})
const ratios = fc.array(fc.double({ min: 0.5, max: 1.8, noNaN: true }), { minLength: 2, maxLength: 60 })
/** A page's shape becomes known when it's drawn. */
const drawn = fc.record({ page: fc.nat(), ratio: fc.double({ min: 0.5, max: 1.8, noNaN: true }) })
const change = fc.oneof(look, drawn)
/** Which event the browser fires first: scroll or resize. */
const changes = fc.array(fc.tuple(change, fc.boolean()), { minLength: 1, maxLength: 12 })

function apply(made: FakeWindow, next: Look | { page: number; ratio: number }): void {
  if ('width' in next) made.look = next
  else made.ratios[next.page % made.ratios.length] = next.ratio
  made.scrollTo(made.scrollY)
}

function opened(shapes: readonly number[], first: Look) {
  const made = new FakeWindow(shapes, first)
  const pages: number[] = []
  const keeper = createPlaceKeeper(made.view(), (page) => pages.push(page))
  return { made, keeper, pages }
}

/** Returns how far the place is from its line; zero if the document ends before. */
function offBy(made: FakeWindow, { page, share, line }: ReadingPosition): number {
  const { top, height } = made.sheets()[page - 1] ?? { top: 0, height: 0 }
  const { windowHeight } = made.look
  const wanted = top + height * share - (line === 'middle' ? windowHeight / 2 : Math.min(152, windowHeight / 2))
  return Math.abs(made.scrollY - Math.min(made.end, Math.max(0, wanted)))
}

test('the scroll position survives every change of width, zoom, spread and page sizes', () => {
  fc.assert(
    fc.property(ratios, look, fc.double({ min: 0.01, max: 1, noNaN: true }), changes, (shapes, first, where, steps) => {
      const { made, keeper, pages } = opened(shapes, first)
      made.scrollTo(made.end * where)
      made.tell(keeper)
      const before = keeper.place()
      fc.pre(before.page > 1 || before.share > 0)
      fc.pre(offBy(made, before) < 1)
      pages.length = 0
      for (const [next, tellsScroll] of steps) {
        apply(made, next)
        if (tellsScroll) made.tell(keeper)
        keeper.onLayout()
        made.tell(keeper)
        expect(keeper.place()).toEqual(before)
        expect(offBy(made, before)).toBeLessThan(1)
      }
      expect(pages).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('the target of a jump stays in place when the page above it grows', () => {
  fc.assert(
    fc.property(
      ratios,
      look,
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      changes,
      (shapes, first, to, share, steps) => {
        const { made, keeper } = opened(shapes, first)
        const place: ReadingPosition = { page: 2 + (to % (shapes.length - 1)), share, line: 'below the bars' }
        keeper.show(place)
        for (const [next] of steps) {
          made.tell(keeper)
          apply(made, next)
          keeper.onLayout()
          made.tell(keeper)
          expect(keeper.place()).toEqual(place)
          expect(offBy(made, place)).toBeLessThan(1)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('scrolling after a layout change moves the place', () => {
  fc.assert(
    fc.property(ratios, look, look, fc.double({ min: 0, max: 1, noNaN: true }), (shapes, first, next, where) => {
      const { made, keeper } = opened(shapes, first)
      made.scrollTo(made.end / 2)
      made.tell(keeper)
      apply(made, next)
      keeper.onLayout()
      made.tell(keeper)
      const target = made.end * where
      fc.pre(Math.abs(target - made.scrollY) > 2)
      made.scrollTo(target)
      made.tell(keeper)
      expect(keeper.place().line).toBe('middle')
      const { top, height } = made.sheets()[keeper.place().page - 1] ?? { top: 0, height: 0 }
      const middle = made.scrollY + next.windowHeight / 2
      // In the page, in the gap below it, or before the first or after the last page.
      if (keeper.place().page > 1) expect(middle).toBeGreaterThan(top - 1)
      if (keeper.place().share < 1) expect(middle).toBeLessThan(top + height + 1)
    }),
    { numRuns: 500 },
  )
})

test('at the start of a document, page size changes do not scroll', () => {
  const { made, keeper } = opened([1.4, 1.4], { width: 800, zoom: 1, spread: false, windowHeight: 900, header: 300 })
  made.look = { ...made.look, width: 400 }
  keeper.onLayout()
  expect(made.scrollY).toBe(0)
  expect(keeper.place().page).toBe(1)
})
