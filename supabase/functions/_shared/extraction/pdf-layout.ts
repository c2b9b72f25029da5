import type { Section } from './extraction.ts'

/** A line of a page: `size` is the height of its letters and `y` its distance from the lower edge, both in points. */
export type Line = { readonly text: string; readonly size: number; readonly y: number }

type PageSection = Omit<Section, 'page'>

/** Lines at the top or bottom of at least half of the pages, ignoring numbers: running heads and page numbers. */
export function repeatedLines(pages: readonly Line[][]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const lines of pages) {
    for (const key of new Set(edgesOf(lines).map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const often = Math.max(3, pages.length / 2)
  return new Set([...counts].filter(([, count]) => count >= often).map(([key]) => key))
}

/** One page as sections under its headings; text above the first heading belongs to the last heading of the previous
 *  page. */
export function pageSections(
  lines: readonly Line[],
  bodySize: number,
  repeated: ReadonlySet<string>,
  headingBefore: string | null,
): { sections: PageSection[]; heading: string | null } {
  const edges = new Set(edgesOf(lines))
  const sections: PageSection[] = []
  let heading = headingBefore
  let text = ''
  let position = 0
  let previous: Line | null = null
  let headingLine: Line | null = null

  const close = () => {
    if (text.trim()) {
      sections.push({ heading, text, start: position })
      position += text.length + 2
    }
    text = ''
  }
  for (const line of lines) {
    if (edges.has(line) && repeated.has(keyOf(line))) continue
    if (isHeading(line, bodySize)) {
      close()
      // A heading over two lines is one heading.
      const continued: boolean =
        headingLine !== null && headingLine.size === line.size && headingLine.y - line.y < 2 * line.size
      heading = (continued ? `${heading} ${line.text}` : line.text).slice(0, 500)
      headingLine = line
      previous = null
      continue
    }
    headingLine = null
    text = text === '' ? line.text : joined(text, line, previous)
    previous = line
  }
  close()
  return { sections, heading }
}

const isHeading = (line: Line, bodySize: number): boolean =>
  line.size >= bodySize * 1.15 && line.text.length <= 150 && /\p{L}/u.test(line.text)

/** Joins the lines of a paragraph; a wider gap starts a new paragraph; a word hyphenated at a line end is joined. */
function joined(text: string, line: Line, previous: Line | null): string {
  if (previous && previous.y - line.y > 1.9 * Math.max(previous.size, line.size)) return `${text}\n\n${line.text}`
  if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line.text)) return text.slice(0, -1) + line.text
  return `${text} ${line.text}`
}

const edgesOf = (lines: readonly Line[]): Line[] => [...lines.slice(0, 2), ...lines.slice(-2)]

const keyOf = (line: Line): string => line.text.replace(/\d+/g, '#').toLowerCase()
