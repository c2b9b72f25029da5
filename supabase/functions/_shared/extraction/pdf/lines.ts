/** A line of a page: `size` is the height of its letters and `y` its distance from the lower edge, both in points. */
export type Line = { readonly text: string; readonly size: number; readonly y: number }

/** What pdf.js says of a run of letters. */
export type TextItem = {
  readonly str: string
  readonly transform: number[]
  readonly height: number
  readonly hasEOL: boolean
}

// Symbols of a font of its own (notes, logos, icons) have no meaning as text; control characters never have one.
const MEANINGLESS = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu

/** Joins the runs of a page to lines, in the order of the file. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = []
  let text = ''
  let size = 0
  let y = 0
  const end = () => {
    const tidy = text.replace(/\s+/g, ' ').replace(MEANINGLESS, '').trim()
    if (tidy) lines.push({ text: tidy, size: Math.round(size * 10) / 10, y: Math.round(y * 10) / 10 })
    text = ''
    size = 0
  }
  for (const item of items) {
    const isBlank = item.str.trim() === ''
    const height = item.height || Math.abs(item.transform[3] ?? 0)
    const itemY = item.transform[5] ?? 0
    // What is placed above what was written before it does not end a line by itself.
    if (!isBlank && text.trim() !== '' && isUpright(item) && Math.abs(itemY - y) > Math.max(size, height)) end()
    if (!isBlank && text.trim() === '') y = itemY
    if (!isBlank) size = Math.max(size, height)
    text += item.str
    if (item.hasEOL) end()
  }
  end()
  return withInitials(lines)
}

const isUpright = ({ transform }: TextItem): boolean => Math.abs(transform[1] ?? 0) < 0.01

/** A large first letter of a paragraph is a line of its own in the file. */
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

/** The size of most letters. */
export function bodySize(pages: readonly (readonly Line[])[]): number {
  const letters = new Map<number, number>()
  for (const lines of pages) {
    for (const { size, text } of lines) {
      const rounded = Math.round(size * 2) / 2
      letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
    }
  }
  return [...letters].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 0
}
