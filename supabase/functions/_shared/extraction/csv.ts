import type { Extraction, Section } from './extraction.ts'
import { Unreadable } from './extraction.ts'

const SEPARATORS = [',', ';', '\t', '|']
/** The number of rows in the readable copy; all rows are searched. */
const SHOWN_ROWS = 5000
/** The number of rows in one section; passages are cut within sections. */
const ROWS_TOGETHER = 40

/** A table: each row becomes a line of its cells with the names of their columns, so that a search finds either.
 *  @throws {Unreadable} when there is nothing in it. */
export function extractCsv(source: string): Extraction {
  const [names = [], ...rows] = parseCsv(source)
  if (rows.length === 0) throw new Unreadable('There is no row under the names of the columns. Check the original.')
  const heading = names.filter(Boolean).join(' · ').slice(0, 500) || null
  const sections: Section[] = []
  let start = 0
  for (let first = 0; first < rows.length; first += ROWS_TOGETHER) {
    const text = rows
      .slice(first, first + ROWS_TOGETHER)
      .map((cells) => `${cells.filter(Boolean).join(' | ')}.`)
      .join('\n')
    sections.push({ page: null, heading, text, start })
    start += text.length + 2
  }
  return { sections, mimeType: 'text/csv', pages: null, rendition: tableOf(names, rows.slice(0, SHOWN_ROWS)) }
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

function tableOf(names: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map((cells) => line(cells, 'td')).join('\n')
  return `<table><thead>${line(names, 'th')}</thead><tbody>\n${body}\n</tbody></table>`
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
