import { HeadingPath, type Section, UNSPACED_LINE_END } from '../extraction.ts'
import { bodyLines } from './body-lines.ts'
import { hyphensOf, type Join } from './hyphens.ts'
import { bodySize, type Line } from './lines.ts'

/** `level` starts at 1, `page` at 0. */
export type Bookmark = { readonly title: string; readonly level: number; readonly page: number }

/** Headings that aren't bookmarks rank below those that are. */
const BELOW_BOOKMARKS = 1000
/** Letters that aren't all the same: music and symbol fonts use letter codes for their glyphs. */
const WORD = /(\p{L})(?!\1)\p{L}\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
const MAX_HEADING_LINES = 4
const LIST_MARK = /^(?:[•◦▪‣·∙●○■□–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S/
const LONE_MARK = /^(?:[•◦▪‣·∙●○■□–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])$/

/** Divides a document's text by its headings: bookmarks found on their pages, and lines in clearly larger type than the
 *  body. Sentences and paragraphs continue across pages. */
export function sectionsOfPages(pages: readonly (readonly Line[])[], bookmarks: readonly Bookmark[]): Section[] {
  const body = bodySize(pages)
  const lines = bodyLines(pages, body)
  const layout = new Layout(body, titleSize(pages, body), hyphensOf(lines.kept.flat()))
  for (const [index, kept] of lines.kept.entries()) {
    layout.page(
      index + 1,
      kept,
      bookmarks.filter(({ page }) => page === index),
    )
  }
  return [...layout.finish(), ...onlyThere(lines.left, lines.kept)]
}

/** Keeps lines outside the body with a unique word, such as a letterhead or index term, so that search finds it. */
function onlyThere(left: readonly (readonly Line[])[], kept: readonly (readonly Line[])[]): Section[] {
  const known = new Set(kept.flatMap((lines) => lines.flatMap(({ text }) => wordsOf(text))))
  return left.flatMap((lines, index) => {
    const found = lines.filter(({ text }) => {
      const words = wordsOf(text)
      const isNew = words.some((word) => !known.has(word))
      for (const word of words) known.add(word)
      return isNew
    })
    const text = found.map((line) => line.text).join('\n')
    return text ? [{ page: index + 1, heading: null, text, start: 0 }] : []
  })
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Names of journals: the title is more likely below them. */
const PERIODICAL =
  /^(?:the )?(?:(?:international|european|american|british) )?(?:journal|proceedings|transactions|annals|bulletin|archives|letters|reviews)\b|\b(?:journal|letters|magazine)$|\bvol(?:ume|\.)\s*\d/i
const MAX_TITLE_LINES = 3

/** Returns the first page's lines in larger type, largest first; running heads and journal names come last. */
export function titlesInType(pages: readonly (readonly Line[])[]): string[] {
  const at = pages.findIndex((lines) => lines.length > 0)
  const least = bodySize(pages) * 1.3
  const runs: Line[][] = []
  for (const line of pages[at] ?? []) {
    const last = runs.at(-1)
    if (last?.[0]?.size === line.size && last.length < MAX_TITLE_LINES) last.push(line)
    else runs.push([line])
  }
  const elsewhere = new Set(pages.slice(at + 1).flatMap((lines) => lines.map(({ text }) => lettersOf(text))))
  const isHead = (text: string) => PERIODICAL.test(text) || elsewhere.has(lettersOf(text))
  return runs
    .map((lines) => ({
      size: lines[0]?.size ?? 0,
      text: lines
        .map(({ text }) => text)
        .join(' ')
        .replace(/[\s*∗†‡]+$/u, ''),
    }))
    .filter(({ size, text }) => size >= least && WORD.test(text))
    .sort((one, other) => Number(isHead(one.text)) - Number(isHead(other.text)) || other.size - one.size)
    .map(({ text }) => text)
}

/** The size used only on the first page: the document's title, not a heading. Infinite if there is none. */
function titleSize([first = [], ...others]: readonly (readonly Line[])[], body: number): number {
  const largest = Math.max(0, ...others.flatMap((lines) => lines.map(({ size }) => size)))
  return others.length > 0 && first.some(({ size }) => size > largest)
    ? Math.max(largest, body) + 0.1
    : Number.POSITIVE_INFINITY
}

class Layout {
  readonly #headings = new HeadingPath()
  readonly #sections: Section[] = []
  readonly #bodySize: number
  readonly #titleSize: number
  readonly #join: Join
  #page = 0
  #headingPage = 1
  #pageLength = 0
  #text = ''
  #from = { page: 0, start: 0 }
  #turns: { at: number; page: number }[] = []
  #previous: Line | null = null
  #headingLine: Line | null = null

  constructor(bodySize: number, titleSize: number, join: Join) {
    this.#bodySize = bodySize
    this.#titleSize = titleSize
    this.#join = join
  }

  page(number: number, lines: readonly Line[], bookmarks: readonly Bookmark[]): void {
    this.#page = number
    this.#pageLength = 0
    this.#previous = null
    this.#headingLine = null
    const places = placesOf(bookmarks, lines)
    const prose = this.#largeProse(lines)
    for (const [position, line] of lines.entries()) {
      const place = places.get(position)
      for (const { level, title } of place?.begin ?? []) this.#heading(level, title)
      if (place) this.#headingLine = null
      if (place?.isTitleLine) continue
      if (this.#isHeading(line) && !prose.has(line)) this.#headingOfSize(line)
      else this.#line(line)
    }
  }

  finish(): Section[] {
    this.#heading(0, '')
    return this.#sections
  }

  #isHeading({ size, text }: Line): boolean {
    return size >= this.#bodySize * 1.15 && text.length <= 150 && WORD.test(text)
  }

  #largeProse(lines: readonly Line[]): Set<Line> {
    const prose = new Set<Line>()
    let run: Line[] = []
    for (const line of lines) {
      const last = run.at(-1)
      if (!this.#isHeading(line)) run = []
      else run = last && isNext(line, last) ? [...run, line] : [line]
      if (run.length > MAX_HEADING_LINES) for (const one of run) prose.add(one)
    }
    return prose
  }

  #headingOfSize(line: Line): void {
    const last = this.#headingLine
    if (last && isNext(line, last)) this.#headings.extend(line.text, this.#join)
    else if (line.size < this.#titleSize || this.#page > 1) this.#heading(BELOW_BOOKMARKS - line.size, line.text)
    else {
      this.#line(line)
      return
    }
    this.#headingLine = line
  }

  #heading(level: number, title: string): void {
    this.#endSection()
    for (const heading of this.#headings.enter(level, title.slice(0, 200))) {
      this.#sections.push({ page: this.#headingPage, ...heading, start: 0 })
    }
    this.#headingPage = this.#page
    this.#previous = null
  }

  #line(line: Line): void {
    this.#headingLine = null
    const before = this.#text
    if (before === '') this.#from = { page: this.#page, start: this.#pageLength }
    this.#text = joined(before, line, this.#previous, this.#join)
    if (before !== '' && this.#previous === null && this.#page !== (this.#turns.at(-1)?.page ?? this.#from.page)) {
      this.#turns.push({ at: this.#text.length - line.text.length, page: this.#page })
    }
    this.#pageLength += line.text.length + 1
    this.#previous = line
  }

  #endSection(): void {
    if (this.#text.trim()) {
      const { page, start } = this.#from
      this.#sections.push({ page, heading: this.#headings.aboveText(), text: this.#text, start, turns: this.#turns })
    }
    this.#text = ''
    this.#turns = []
  }
}

const isNext = (line: Line, last: Line): boolean => last.size === line.size && Math.abs(last.y - line.y) < 2 * line.size

/** Locates bookmarks among the lines, and marks lines that only repeat a bookmark's title. A bookmark whose title isn't
 *  found begins with the page, or with the next bookmark. */
function placesOf(bookmarks: readonly Bookmark[], lines: readonly Line[]) {
  const places = new Map<number, { begin: Bookmark[]; isTitleLine: boolean }>()
  let waiting: Bookmark[] = []
  let from = 0
  for (const bookmark of bookmarks) {
    const found = findTitle(lettersOf(bookmark.title), lines, from)
    if (!found) {
      waiting.push(bookmark)
      continue
    }
    places.set(found.first, { begin: [...waiting, bookmark], isTitleLine: true })
    for (let rest = found.first + 1; rest < found.end; rest++) places.set(rest, { begin: [], isTitleLine: true })
    waiting = []
    from = found.end
  }
  const [start] = waiting.length > 0 ? [from] : []
  if (start !== undefined && !places.has(start)) places.set(start, { begin: waiting, isTitleLine: false })
  return places
}

/** Finds a title on one to three consecutive lines; numbering may be missing on either side. */
function findTitle(title: string, lines: readonly Line[], from: number): { first: number; end: number } | undefined {
  if (title === '') return undefined
  for (let first = from; first < lines.length; first++) {
    let letters = ''
    for (let end = first + 1; end <= Math.min(first + 3, lines.length); end++) {
      letters += lettersOf(lines[end - 1]?.text ?? '')
      const [short, long] = letters.length < title.length ? [letters, title] : [title, letters]
      if (short.length >= long.length * 0.75 && (long.endsWith(short) || long.startsWith(short))) {
        // “Chapter 3” on one line and its name on the next form one title.
        if (letters.length >= title.length || end === lines.length) return { first, end }
        const more = letters + lettersOf(lines[end]?.text ?? '')
        return { first, end: title.startsWith(more) || title.endsWith(more) ? end + 1 : end }
      }
      if (letters.length > title.length + 20) break
    }
  }
  return undefined
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Joins the lines of a paragraph and words divided at a line end. A wider gap or a list item starts a new paragraph.
 *  At the top of a page (`previous` is null) the paragraph continues unless its sentence has ended. */
function joined(text: string, line: Line, previous: Line | null, join: Join): string {
  if (text === '') return line.text
  const word = join(text, line.text)
  if (word !== undefined) return word
  if (LIST_MARK.test(line.text) || LONE_MARK.test(line.text)) return `${text}\n${line.text}`
  const isNewParagraph = previous
    ? Math.abs(previous.y - line.y) > 1.9 * Math.max(previous.size, line.size)
    : /[.!?:;。！？][\p{Pe}\p{Pf}"']?$/u.test(text)
  if (isNewParagraph && !LONE_MARK.test(previous?.text ?? '')) return `${text}\n\n${line.text}`
  const between = `${text.slice(-1)}\n${line.text.charAt(0)}`.search(UNSPACED_LINE_END) === -1 ? ' ' : ''
  return text + between + line.text
}
