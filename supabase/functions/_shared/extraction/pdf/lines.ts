import { decodeAs } from '../charset.ts'

/** A line of a page. `size` is the letter height and `y` the distance from the lower edge, in points. `stamp` marks a
 *  line on a page that needs text recognition. */
export type Line = { readonly text: string; readonly size: number; readonly y: number; readonly stamp?: boolean }

export type TextItem = {
  readonly str: string
  readonly transform: number[]
  readonly width: number
  readonly height: number
  readonly hasEOL: boolean
  readonly fontName?: string
}

// Symbols of custom fonts (notes, logos, icons) have no meaning as text, nor do control characters.
const MEANINGLESS = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu
/** Ligatures, and vertical and Arabic presentation forms: how text is drawn, not how it's written. */
const DRAWN_FORMS = /[\ufb00-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc]+/g
/** Old-style figures and small capitals, to which Adobe's glyph list gives private codes. */
const STYLED_FORMS = /[\uf730-\uf739\uf761-\uf77a]/g
/** Accents that TeX draws apart from letters, each with its combining mark. People also write some for apostrophes. */
const ACCENTS = '`\u0300´\u0301ˆ\u0302˜\u0303˘\u0306˙\u0307¨\u0308˚\u030a˝\u030bˇ\u030c¸\u0327˛\u0328'
const DRAWN_ACCENT =
  /(?:[ˆ˜˘˙¨˚˝ˇ]|(?<=\p{L})`|(?<!(?<!\p{L})(?:[cdjlmnst]|qu))´(?=[aeiouyı]))\p{sc=Latin}|\p{sc=Latin}[¸˛]/giu
/** Marks are drawn after a move back, which pdf.js takes for a space. In Arabic, they end a word. */
const [ARABIC_MARK, SPACE_BEFORE_MARK] = [/(?<=\p{sc=Arabic}) (\p{M}+) ?/gu, /(?<!\p{sc=Latin}) (?=\p{M})/gu]
const SPACED = /^\s*\S(?: \S)*\s*$/u
const MIN_SPACED_LETTERS = 6

/** In the fonts of Windows and Mac, the number of a glyph is 29 less than the ASCII code of its character, or 30 less than its
 *  code in Mac OS Roman. */
const [GLYPH_OF_SPACE, GLYPHS, MIN_SPACES] = ['\x03', /[\p{Cc}!-\xe1]/gu, 0.05]
const characterOf = (glyph: string): string => {
  const number = glyph.charCodeAt(0)
  return decodeAs('macintosh', Uint8Array.of(number + (number < 98 ? 29 : 30)))
}

/** Spells out texts in fonts that don't say what their glyphs mean, of which pdf.js returns the numbers. */
export function spelled<Item extends TextItem>(items: readonly Item[]): Item[] {
  const isUnknown = (runs: readonly Item[]) => {
    const text = runs.map(({ str }) => str).join('')
    return text.split(GLYPH_OF_SPACE).length - 1 > text.length * MIN_SPACES
  }
  const fonts = Map.groupBy(items, ({ fontName }) => fontName)
  const unknown = new Set([...fonts].flatMap(([font, runs]) => (isUnknown(runs) ? [font] : [])))
  return items.map((item) =>
    unknown.has(item.fontName) ? { ...item, str: item.str.replace(GLYPHS, characterOf) } : item,
  )
}

/** Joins the runs of a page to lines, in file order. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = []
  let text = ''
  let runs: string[] = []
  let size = 0
  let y = 0
  let last: TextItem | undefined
  const drawn = new Map<string, TextItem>()
  const end = () => {
    const tidy = (isSpaced(runs) ? runs.map((run) => (run.trim() ? run.replaceAll(' ', '') : ' ')).join('') : text)
      .replace(/\s+/g, ' ')
      .replace(ARABIC_MARK, '$1 ')
      .replace(SPACE_BEFORE_MARK, '')
      .replace(STYLED_FORMS, (drawn) => String.fromCharCode(drawn.charCodeAt(0) - 0xf700))
      .replace(MEANINGLESS, '')
      .replace(DRAWN_FORMS, (drawn) => drawn.normalize('NFKC'))
      .replace(DRAWN_ACCENT, accented)
      .trim()
    if (tidy) lines.push({ text: tidy, size: Math.round(size * 10) / 10, y: Math.round(y * 10) / 10 })
    text = ''
    runs = []
    size = 0
  }
  for (const item of items) {
    const isBlank = item.str.trim() === ''
    const height = item.height || Math.abs(item.transform[3] ?? 0)
    const itemY = item.transform[5] ?? 0
    // Superscripts and similar shifts don't end a line.
    if (!isBlank && text.trim() !== '' && isUpright(item) && Math.abs(itemY - y) > Math.max(size, height)) end()
    if (!isBlank && text.trim() === '') y = itemY
    if (!isBlank) size = Math.max(size, height)
    if (isBlank || !isRepeated(item, drawn.get(item.str))) {
      const run = last && !isBlank && isApart(last, item) ? ` ${item.str}` : item.str
      text += run
      runs.push(run)
    }
    if (!isBlank) {
      drawn.set(item.str, item)
      last = item
    }
    if (item.hasEOL) end()
  }
  end()
  return withInitials(lines)
}

function accented(drawn: string): string {
  const [accent = '', letter = ''] = ACCENTS.includes(drawn.charAt(0)) ? drawn : [...drawn].reverse()
  const whole = (letter.replace('ı', 'i') + ACCENTS.charAt(ACCENTS.indexOf(accent) + 1)).normalize('NFC')
  return whole.length === 1 ? whole : drawn
}

/** Whether a line is letter-spaced, so that pdf.js puts a space between letters and each run is one word. */
const isSpaced = (runs: readonly string[]): boolean =>
  runs.every((run) => SPACED.test(run) || !run.trim()) &&
  runs.some((run) => / \p{L} /u.test(run)) &&
  runs.join('').replace(/\P{L}/gu, '').length >= MIN_SPACED_LETTERS

const distance = (one: TextItem, other: TextItem, axis: 4 | 5): number =>
  Math.abs((one.transform[axis] ?? 0) - (other.transform[axis] ?? 0))

/** Whether a run is drawn once more, shifted a little to look bold or to cast a shadow. */
function isRepeated(item: TextItem, same: TextItem | undefined): boolean {
  const most = 0.1 * item.height * Math.min(3, item.str.length)
  return same !== undefined && distance(item, same, 4) < most && distance(item, same, 5) < most
}

/** Whether the pen moved too far between two runs for one word: pdf.js puts no space after a move back, as from one word
 *  to the next from right to left. */
function isApart(one: TextItem, other: TextItem): boolean {
  const [a = 1, b = 0] = other.transform
  const startOf = ({ transform: [, , , , x = 0, y = 0] }: TextItem) => (x * a + y * b) / Math.hypot(a, b)
  const gap = Math.max(startOf(one), startOf(other)) - Math.min(startOf(one) + one.width, startOf(other) + other.width)
  const height = Math.max(one.height, other.height)
  return Math.abs(gap) > height || (startOf(other) < startOf(one) && gap > height * LEAST_SPACE)
}

/** The width of the narrowest space, as a share of the letters' height. */
const LEAST_SPACE = 0.15

const isUpright = ({ transform }: TextItem): boolean => Math.abs(transform[1] ?? 0) < 0.01

function withInitials(lines: readonly Line[]): Line[] {
  const whole: Line[] = []
  for (const line of lines) {
    const last = whole.at(-1)
    if (last && /^\p{Lu}$/u.test(last.text) && /^\p{Ll}/u.test(line.text)) {
      whole.pop()
      whole.push({ ...line, text: last.text + line.text })
    } else whole.push(line)
  }
  return whole
}

/** The share of all letters that makes a size the body size, even if there is more small print. */
const TEXT_SHARE = 0.25

/** Returns the most common letter size, or a larger one that is common enough. */
export function bodySize(pages: readonly (readonly Line[])[]): number {
  const letters = new Map<number, number>()
  for (const lines of pages) {
    for (const { size, text } of lines) {
      const rounded = Math.round(size * 2) / 2
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
    }
  }
  const total = [...letters.values()].reduce((sum, count) => sum + count, 0)
  const most = Math.max(...letters.values())
  return Math.max(
    0,
    ...[...letters].flatMap(([size, count]) => (count >= Math.min(most, total * TEXT_SHARE) ? [size] : [])),
  )
}
