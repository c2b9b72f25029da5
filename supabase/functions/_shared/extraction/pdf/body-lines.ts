import type { Line } from './lines.ts'

type Pages = readonly (readonly Line[])[]

/** Separates each page's body text from running heads and footers, page numbers, tables of contents and indexes. */
export function bodyLines(pages: Pages, bodySize: number): { kept: Line[][]; left: Line[][] } {
  const kept = withoutContents(withoutRunningLines(pages, bodySize))
  const left = pages.map((lines, page) => {
    const among = new Set(kept[page])
    return lines.filter((line) => !among.has(line))
  })
  return { kept, left }
}

const SAME_HEIGHT = 3
/** A line is a running head if it's in the same place on OFTEN of SUCCESSIVE pages. */
const OFTEN = 3
const SUCCESSIVE = 12
const PAGE_NUMBER = /^[\W_]*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|\/)\s*\d{1,4})?[\W_]*$/i

function withoutRunningLines(pages: Pages, bodySize: number): Line[][] {
  const seen = new Map<string, { page: number; y: number }[]>()
  for (const [page, lines] of pages.entries()) {
    for (const { text, y } of edgesOf(lines))
      for (const key of keysOf(text, page)) seen.set(key, [...(seen.get(key) ?? []), { page, y }])
  }
  const recurs = (key: string, y: number) => {
    const places = (seen.get(key) ?? []).filter((place) => Math.abs(place.y - y) <= SAME_HEIGHT)
    return places.some(
      ({ page }, index) => (places[index + OFTEN - 1]?.page ?? Number.POSITIVE_INFINITY) - page < SUCCESSIVE,
    )
  }
  const running = pages.map((lines, page) =>
    edgesOf(lines).filter(({ text, y }) => PAGE_NUMBER.test(text) || keysOf(text, page).some((key) => recurs(key, y))),
  )
  // The running head of a two-page chapter doesn't recur, but is at the same height as the others.
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
    // On near-identical pages, such as tickets and labels, the recurring text is all there is.
    return lettersIn(kept) < lettersIn(lines) / 2 ? lines.filter(({ text }) => !PAGE_NUMBER.test(text)) : kept
  })
}

const lettersIn = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0)

function edgesOf(lines: readonly Line[]): Line[] {
  const down = lines.toSorted((one, other) => other.y - one.y)
  return [...new Set([...down.slice(0, 2), ...down.slice(-2)])]
}

/** Returns what a line shares with the same line of other pages: its text, in which one number may count pages. Other
 *  numbers that differ, as on invoices and labels, are text. */
function keysOf(text: string, page: number): string[] {
  const plain = text.toLowerCase().replace(/\b[ivxlc]+\b/g, '#')
  const counting = ({ 0: digits, index }: RegExpExecArray) =>
    `${plain.slice(0, index)}#${Number(digits) - page}${plain.slice(index + digits.length)}`
  return [plain, ...Array.from(plain.matchAll(/\d+/g), counting)]
}

const LEADERS = /(?:[.·…]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})?$/i
const ENTRY_WITHOUT_LEADERS = /^.{0,120}\p{L}.{0,120}\s(\d{1,4})$/u
const INDEX_ENTRY = /\p{L}.*,\s*\d{1,4}(?:\s*[-–,]\s*\d{1,4})*$/u
const CONTENTS =
  /^(?:table of contents|contents|list of (?:figures|tables)|inhalt|inhaltsverzeichnis|table des matières|sommaire|índice|indice)$/i
/** Non-entry lines allowed between two entries: two-line entries, unnumbered parts. */
const GAP = 3
const MIN_ENTRIES = 5
/** The share of page numbers that must not decrease. */
const ASCENDING = 0.8
/** A table without a title must be near the beginning of a document of at least this many pages and refer to them:
 *  forms and price lists have dotted rows, too. */
const MIN_PAGES = 5
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
    if (positions.length >= MIN_ENTRIES && first <= GAP) for (let above = 0; above < first; above++) left.add(above)
    return lines.filter((line, position) => !left.has(position) && !CONTENTS.test(line.text))
  })
}

/** Returns the positions of lines that are entries of a table of contents or an index. */
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
  const leadsToPages = pageCount >= MIN_PAGES && numbers.every((number) => number <= pageCount + PAGES_BEFORE_FIRST)
  const isTable =
    (hasTitle || isAfterContents || (isNearStart && numbers.length >= MIN_ENTRIES && leadsToPages)) &&
    ascending >= numbers.length * ASCENDING
  const entries = new Set(isTable ? leaders : [])
  if (isNearStart && hasTitle) for (const position of ascendingEntries(lines)) entries.add(position)
  // Parts and chapters are often set without leaders.
  if (entries.size >= MIN_ENTRIES) for (const position of positionsOf(ENTRY_WITHOUT_LEADERS)) entries.add(position)
  if (page > pageCount * 0.8) {
    const found = positionsOf(INDEX_ENTRY)
    if (found.length >= 10 && found.length > lines.length * 0.5)
      for (const position of lines.keys()) entries.add(position)
  }
  return entries
}

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
  return run.length >= MIN_ENTRIES ? run : []
}
