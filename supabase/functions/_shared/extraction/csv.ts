import Papa from 'papaparse'
import { Unreadable } from '../errors.ts'
import { type Extraction, escaped, MAX_HEADING_LENGTH, type Section } from './extraction.ts'

const SEPARATORS = [',', ';', '\t', '|']
/** Rows in the readable copy; all rows are searchable. */
const SHOWN_ROWS = 5000
/** Rows per section. Passages don't cross sections. */
const ROWS_TOGETHER = 40

/** Converts a table: each row becomes a line of cells with their column names, so a search finds either.
 *  @throws {Unreadable} if it's empty. */
export function extractCsv(source: string): Extraction {
  const all = parseCsv(source)
  if (all.length === 0) throw new Unreadable('table_empty')
  const [names, rows] = all.length === 1 ? [[], all] : [all[0] ?? [], all.slice(1)]
  const { sections } = tableSections(names, rows)
  return { sections, mimeType: 'text/csv', pages: null, rendition: tableHtml(names, rows) }
}

/** Renders a table's rows as lines, in sections under the column names.
 *  @param title The heading above them.
 *  @param start Where the text begins within the document's text. */
export function tableSections(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  title: string | null = null,
  start = 0,
): { sections: Section[]; end: number } {
  const columns = names.filter(Boolean).join(' · ')
  const path = [title, columns].filter(Boolean).join(' › ')
  const heading = path.slice(0, MAX_HEADING_LENGTH) || null
  // Names that don't fit in the heading are a row as well.
  const lines = path.length > MAX_HEADING_LENGTH ? [names, ...rows] : rows
  const sections: Section[] = []
  let position = start
  for (let first = 0; first < lines.length; first += ROWS_TOGETHER) {
    const text = lines
      .slice(first, first + ROWS_TOGETHER)
      .map((cells) => `${cells.filter(Boolean).join(' | ')}.`)
      .join('\n')
    sections.push({ page: null, heading, text, start: position })
    position += text.length + 2
  }
  return { sections, end: position }
}

/** Parses all rows, with the separator that suits the first ones. Skips blank lines. Quotes may follow a space; those
 *  that don't enclose a cell are literal. */
function parseCsv(source: string): string[][] {
  // The library splits on one kind of line ending only.
  const text = source
    .replace(/^\ufeff?(?:sep=.\r?\n)?/i, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?<=^|[,;\t|]) +"/gm, '"')
  // The library's types aren't available in the edge runtime.
  type Parsed = { data: string[][]; errors: { type: string }[] }
  const parse = (quoteChar: string): Parsed =>
    Papa.parse<string[]>(text, { quoteChar, newline: '\n', delimitersToGuess: SEPARATORS, skipEmptyLines: 'greedy' })
  const quoted = parse('"')
  const { data } = quoted.errors.some(({ type }) => type === 'Quotes') ? parse('\0') : quoted
  return data.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some(Boolean))
}

export function tableHtml(names: readonly string[], rows: readonly (readonly string[])[], title = ''): string {
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const body = rows
    .slice(0, SHOWN_ROWS)
    .map((cells) => line(cells, 'td'))
    .join('\n')
  return `${title && `<h2>${escaped(title)}</h2>\n`}<table><thead>${line(names, 'th')}</thead><tbody>\n${body}\n</tbody></table>`
}
