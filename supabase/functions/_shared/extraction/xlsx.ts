import { Unreadable } from '../errors.ts'
import { mediaTypeOf } from '../file-kinds.ts'
import { tableHtml, tableSections } from './csv.ts'
import { type Extraction, MOST_TEXT, type Section } from './extraction.ts'
import { relatedParts } from './office-parts.ts'
import { all, childrenOf, find, officeProperties, parseXml, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'xlsx_damaged'
const TOO_LARGE = 'too_many_cells'
const MOST_CELLS = 500_000
const MOST_COLUMNS = 1000

/** Converts a workbook (ECMA-376, SpreadsheetML) to its sheets as tables: each row becomes a line under the names of its
 *  columns. Formulas count with the value that was last computed.
 *  @throws {Unreadable} when it is damaged, has no text, or is malicious. */
export function extractXlsx(archive: Zip): Extraction {
  const workbook = parseXml(archive.text('xl/workbook.xml'), DAMAGED)
  const names = [...all(workbook, 'sheet')].map((sheet) => sheet.getAttribute('name') ?? '')
  const paths = relatedParts(archive, 'xl/workbook.xml', 'sheet', DAMAGED)
  const book = { strings: sharedStrings(archive), dates: dateStyles(archive), cells: 0 }
  const sections: Section[] = []
  let rendition = ''
  let position = 0
  for (const [index, path] of paths.entries()) {
    const [columns, ...rows] = rowsOf(archive.text(path, MOST_TEXT), book)
    if (!columns) continue
    const name = names[index] || `Sheet ${index + 1}`
    const found = tableSections(columns, rows.length > 0 ? rows : [columns], name, position)
    position = found.end
    sections.push(...found.sections)
    rendition += `${tableHtml(columns, rows, name)}\n`
  }
  if (sections.length === 0) throw new Unreadable('sheets_empty')
  return { sections, mimeType: mediaTypeOf('xlsx'), pages: null, rendition, about: officeProperties(archive) }
}

type Book = { readonly strings: readonly string[]; readonly dates: ReadonlySet<number>; cells: number }

function rowsOf(source: string | undefined, book: Book): string[][] {
  if (!source) return []
  const rows: string[][] = []
  for (const row of all(parseXml(source, DAMAGED), 'row')) {
    const cells: string[] = []
    for (const cell of childrenOf(row, 'c')) {
      book.cells += 1
      if (book.cells > MOST_CELLS) throw new Unreadable(TOO_LARGE)
      const column = columnOf(cell.getAttribute('r')) ?? cells.length
      if (column >= MOST_COLUMNS) continue
      while (cells.length < column) cells.push('')
      cells[column] = valueOfCell(cell, book)
    }
    if (cells.some(Boolean)) rows.push(cells)
  }
  return rows
}

function valueOfCell(cell: Xml, { strings, dates }: Book): string {
  const type = cell.getAttribute('t')
  if (type === 'inlineStr') return textOf(cell)
  const value = find(cell, 'v')?.textContent ?? ''
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type === 'd')
    return value
      .trim()
      .replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}).*$/, '$1 $2')
      .replace(/ 00:00$/, '')
  // Some programs name the type of a number, which is the default (`n`); others leave it out.
  const isDate = (type === null || type === 'n') && dates.has(Number(cell.getAttribute('s') ?? -1)) && value !== ''
  return (isDate ? dateOf(Number(value)) : value).trim()
}

/** A text may be in several runs; phonetic guides (`rPh`) are not part of it. */
const textOf = (node: Xml): string => {
  const runs = (parent: Xml): string => {
    let text = ''
    for (const child of parent.children) {
      if (child.nodeName === 't') text += child.textContent ?? ''
      else if (child.nodeName !== 'rPh') text += runs(child)
    }
    return text
  }
  return runs(node).replace(/\s+/g, ' ').trim()
}

function sharedStrings(archive: Zip): string[] {
  const source = archive.text('xl/sharedStrings.xml')
  return source ? [...all(parseXml(source, DAMAGED), 'si')].map(textOf) : []
}

/** The styles of cells whose numbers are shown as dates. */
function dateStyles(archive: Zip): Set<number> {
  const source = archive.text('xl/styles.xml')
  const dates = new Set<number>()
  if (!source) return dates
  const styles = parseXml(source, DAMAGED)
  const formats = new Map(
    [...all(styles, 'numFmt')].map((format) => [
      format.getAttribute('numFmtId'),
      format.getAttribute('formatCode') ?? '',
    ]),
  )
  for (const [index, style] of [...(find(styles, 'cellXfs')?.children ?? [])].entries()) {
    const id = style.getAttribute('numFmtId')
    const code = (formats.get(id) ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    // 14 to 22 are the built-in formats of dates; a code of its own shows years or days.
    if ((Number(id) >= 14 && Number(id) <= 22) || /[yd]/i.test(code)) dates.add(index)
  }
  return dates
}

/** Days since 1899-12-30, as all programs count them; the time of day is kept if there is one. */
function dateOf(serial: number): string {
  const date = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * 86_400_000))
  if (!Number.isFinite(serial) || Number.isNaN(date.getTime())) return ''
  const text = date.toISOString()
  return Number.isInteger(serial) ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
}

/** The number of a column, from 0, by the name of a cell: `B7` is 1. */
function columnOf(reference: string | null): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
