import Papa from 'papaparse'
import { Unreadable } from '../errors.ts'
import { type Extraction, escaped, type Section } from './extraction.ts'

const SEPARATORS = [',', ';', '\t', '|']
/** The number of rows in the readable copy; all rows are searched. */
const SHOWN_ROWS = 5000
/** The number of rows in one section; passages are cut within sections. */
const ROWS_TOGETHER = 40

/** A table: each row becomes a line of its cells with the names of their columns, so that a search finds either.
 *  @throws {Unreadable} when there is nothing in it. */
export function extractCsv(source: string): Extraction {
  const all = parseCsv(source)
  if (all.length === 0) throw new Unreadable('table_empty')
  // A single row has no names above it.
  const [names, rows] = all.length === 1 ? [[], all] : [all[0] ?? [], all.slice(1)]
  const { sections } = tableSections(names, rows)
  return { sections, mimeType: 'text/csv', pages: null, rendition: tableHtml(names, rows) }
}

/** A table's rows as lines, in sections under the names of its columns.
 *  @param title Is above them in the path of headings.
 *  @param start Where the text begins in the text of the document. */
export function tableSections(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  title: string | null = null,
  start = 0,
): { sections: Section[]; end: number } {
  const columns = names.filter(Boolean).join(' · ')
  const heading = [title, columns].filter(Boolean).join(' › ').slice(0, 500) || null
  const sections: Section[] = []
  let position = start
  for (let first = 0; first < rows.length; first += ROWS_TOGETHER) {
    const text = rows
      .slice(first, first + ROWS_TOGETHER)
      .map((cells) => `${cells.filter(Boolean).join(' | ')}.`)
      .join('\n')
    sections.push({ page: null, heading, text, start: position })
    position += text.length + 2
  }
  return { sections, end: position }
}

/** The cells of all rows, with whichever separator suits the first rows. Blank lines are left out. Quotes may follow a space, and are
 *  letters where they don't enclose cells. */
function parseCsv(source: string): string[][] {
  // One kind of line ending, because the library splits by one of them only.
  const text = source
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?<=^|[,;\t|]) +"/gm, '"')
  // Its types don't reach the edge runtime.
  type Parsed = { data: string[][]; errors: { type: string }[] }
  const parse = (quoteChar: string): Parsed =>
    Papa.parse<string[]>(text, { quoteChar, newline: '\n', delimitersToGuess: SEPARATORS, skipEmptyLines: 'greedy' })
  const quoted = parse('"')
  const { data } = quoted.errors.some(({ type }) => type === 'Quotes') ? parse('\0') : quoted
  return data.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some(Boolean))
}

/** The readable copy of a table, of its first rows if there are many. */
export function tableHtml(names: readonly string[], rows: readonly (readonly string[])[], title = ''): string {
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const body = rows
    .slice(0, SHOWN_ROWS)
    .map((cells) => line(cells, 'td'))
    .join('\n')
  return `${title && `<h2>${escaped(title)}</h2>\n`}<table><thead>${line(names, 'th')}</thead><tbody>\n${body}\n</tbody></table>`
}
