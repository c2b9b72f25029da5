import { Unreadable } from '../errors.ts'
import type { Extraction, Section } from './extraction.ts'

const SEPARATORS = [',', ';', '\t', '|']
/** The number of rows in the readable copy; all rows are searched. */
const SHOWN_ROWS = 5000
/** The number of rows in one section; passages are cut within sections. */
const ROWS_TOGETHER = 40

/** A table: each row becomes a line of its cells with the names of their columns, so that a search finds either.
 *  @throws {Unreadable} when there is nothing in it. */
export function extractCsv(source: string): Extraction {
  const [names = [], ...rows] = parseCsv(source)
  if (rows.length === 0) throw new Unreadable('table_empty')
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

/** RFC 4180, with whichever separator the first line has most of. Blank lines are left out. */
export function parseCsv(source: string): string[][] {
  const text = source.replace(/^\ufeff/, '')
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.some(Boolean)) rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (sign === separator) endCell()
    else if (sign === '\n') endRow()
    else if (sign !== '\r') cell += sign
  }
  endRow()
  return rows
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n')).replace(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((separator) => line.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
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

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
