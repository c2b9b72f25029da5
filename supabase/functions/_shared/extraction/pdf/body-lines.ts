import type { Line } from './lines.ts'

type Pages = readonly (readonly Line[])[]

/** The lines of each page that belong to the text, and those that do not: running heads and feet, page numbers, tables of contents
 *  and indexes. */
export function bodyLines(pages: Pages, bodySize: number): { kept: Line[][]; left: Line[][] } {
  const kept = withoutContents(withoutRunningLines(pages, bodySize))
  const left = pages.map((lines, page) => {
    const among = new Set(kept[page])
    return lines.filter((line) => !among.has(line))
  })
  return { kept, left }
}

/** Points by which the place of a running head may differ between pages. */
const SAME_HEIGHT = 3
/** A line is a running head when it is in the same place on this many of so many successive pages. */
const OFTEN = 3
const SUCCESSIVE = 12
const PAGE_NUMBER = /^[\W_]*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|\/)\s*\d{1,4})?[\W_]*$/i

function withoutRunningLines(pages: Pages, bodySize: number): Line[][] {
  const seen = new Map<string, { page: number; y: number }[]>()
  for (const [page, lines] of pages.entries()) {
    for (const { text, y } of edgesOf(lines)) {
      const key = keyOf(text)
      seen.set(key, [...(seen.get(key) ?? []), { page, y }])
    }
  }
  const isRunning = ({ text, y }: Line) => {
    const places = (seen.get(keyOf(text)) ?? []).filter((place) => Math.abs(place.y - y) <= SAME_HEIGHT)
    return places.some(
      ({ page }, index) => (places[index + OFTEN - 1]?.page ?? Number.POSITIVE_INFINITY) - page < SUCCESSIVE,
    )
  }
  const running = pages.map((lines) => edgesOf(lines).filter((line) => PAGE_NUMBER.test(line.text) || isRunning(line)))
  // The head of a chapter of two pages does not recur, but it is where the heads of all others are.
  const heights = new Map<number, number>()
  for (const lines of running) {
    for (const height of new Set(lines.map(({ y }) => Math.round(y))))
      heights.set(height, (heights.get(height) ?? 0) + 1)
  }
  const usual = [...heights].filter(([, count]) => count >= Math.max(OFTEN, pages.length / 4)).map(([height]) => height)
  const isAtUsualHeight = ({ y, size }: Line) =>
    size <= bodySize * 1.1 && usual.some((height) => Math.abs(height - y) <= SAME_HEIGHT)
  return pages.map((lines, page) => {
    const left = new Set([...(running[page] ?? []), ...edgesOf(lines).filter(isAtUsualHeight)])
    const kept = lines.filter((line) => !left.has(line))
    // Pages that are alike, such as tickets and labels, have no text but what recurs.
    return lettersIn(kept) < lettersIn(lines) / 2 ? lines.filter(({ text }) => !PAGE_NUMBER.test(text)) : kept
  })
}

const lettersIn = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0)

/** The two uppermost and the two lowest lines, wherever they are in the file. */
function edgesOf(lines: readonly Line[]): Line[] {
  const down = lines.toSorted((one, other) => other.y - one.y)
  return [...new Set([...down.slice(0, 2), ...down.slice(-2)])]
}

const keyOf = (text: string): string => text.toLowerCase().replace(/\d+|\b[ivxlc]+\b/g, '#')

/** Dots that lead to a page number, or to the next line. */
const LEADERS = /(?:[.·…]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})?$/i
const ENTRY_WITHOUT_LEADERS = /^.{0,120}\p{L}.{0,120}\s(\d{1,4})$/u
const INDEX_ENTRY = /\p{L}.*,\s*\d{1,4}(?:\s*[-–,]\s*\d{1,4})*$/u
const CONTENTS =
  /^(?:table of contents|contents|list of (?:figures|tables)|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|indice)$/i
/** Lines between two entries that are still part of the table: entries over two lines, parts without a number. */
const GAP = 3
const FEWEST_ENTRIES = 5
/** Of a table's page numbers, those that are not before the one above. */
const ASCENDING = 0.8
/** A table without a title is at the beginning of a document of at least so many pages, and leads to them: a form or a list of prices
 *  has rows of dots as well. */
const FEWEST_PAGES = 5
const PAGES_BEFORE_FIRST = 30

function withoutContents(pages: Pages): Line[][] {
  let isAfterContents = false
  return pages.map((lines, page) => {
    const entries = contentsEntries(lines, page, pages.length, isAfterContents)
    isAfterContents = entries.size > 0
    if (entries.size === 0) return [...lines]
    const positions = [...entries].toSorted((one, other) => one - other)
    const left = new Set(positions)
    for (const [index, position] of positions.entries()) {
      const next = positions[index + 1] ?? position
      if (next - position <= GAP + 1) for (let between = position; between < next; between++) left.add(between)
    }
    const first = positions[0] ?? 0
    if (positions.length >= FEWEST_ENTRIES && first <= GAP) for (let above = 0; above < first; above++) left.add(above)
    return lines.filter((line, position) => !left.has(position) && !CONTENTS.test(line.text))
  })
}

/** The positions of a page's lines that are entries of a table of contents or of an index. */
function contentsEntries(
  lines: readonly Line[],
  page: number,
  pageCount: number,
  isAfterContents: boolean,
): Set<number> {
  const positionsOf = (pattern: RegExp) => lines.flatMap(({ text }, position) => (pattern.test(text) ? [position] : []))
  const hasTitle = lines.some(({ text }) => CONTENTS.test(text))
  const isNearStart = page < Math.max(20, pageCount / 10)
  const leaders = positionsOf(LEADERS)
  const numbers = leaders.flatMap((position) => /\d+$/.exec(lines[position]?.text ?? '')?.[0] ?? []).map(Number)
  const ascending = numbers.filter((number, index) => number >= (numbers[index - 1] ?? 0)).length
  const leadsToPages = pageCount >= FEWEST_PAGES && numbers.every((number) => number <= pageCount + PAGES_BEFORE_FIRST)
  const isTable =
    (hasTitle || isAfterContents || (isNearStart && numbers.length >= FEWEST_ENTRIES && leadsToPages)) &&
    ascending >= numbers.length * ASCENDING
  const entries = new Set(isTable ? leaders : [])
  if (isNearStart && hasTitle) for (const position of ascendingEntries(lines)) entries.add(position)
  // Parts and chapters are often set without leaders.
  if (entries.size >= FEWEST_ENTRIES) for (const position of positionsOf(ENTRY_WITHOUT_LEADERS)) entries.add(position)
  if (page > pageCount * 0.8) {
    const found = positionsOf(INDEX_ENTRY)
    if (found.length >= 10 && found.length > lines.length * 0.5)
      for (const position of lines.keys()) entries.add(position)
  }
  return entries
}

/** Runs of lines below a title like “Contents” that end with page numbers in ascending order. */
function ascendingEntries(lines: readonly Line[]): number[] {
  const title = lines.findIndex(({ text }) => CONTENTS.test(text))
  if (title === -1) return []
  const run: number[] = []
  let last = 0
  for (const [position, { text }] of lines.entries()) {
    const number = position > title ? Number(ENTRY_WITHOUT_LEADERS.exec(text)?.[1]) : Number.NaN
    if (Number.isNaN(number) || number < last) continue
    last = number
    run.push(position)
  }
  return run.length >= FEWEST_ENTRIES ? run : []
}
