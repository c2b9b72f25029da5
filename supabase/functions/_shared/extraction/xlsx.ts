import { format, getFormatFromId, isDateFormat } from 'numfmt'
import { Unreadable } from '../errors.ts'
import { mediaTypeOf } from '../file-kinds.ts'
import { tableHtml, tableSections } from './csv.ts'
import { type Extraction, MAX_TEXT_LENGTH, refuseLong, type Section } from './extraction.ts'
import { textOfHtml } from './html.ts'
import { besideHtml, mainPart, referredParts, relationsOf } from './office-parts.ts'
import { all, childrenOf, find, officeProperties, parseXml, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'xlsx_damaged'
const TOO_LARGE = 'too_many_cells'
export const MAX_CELLS = 500_000
/** Characters of all sheets' XML, a million of which take up to 0.25 s of CPU time. */
const MAX_SHEETS_LENGTH = 8_000_000
export const MAX_COLUMNS = 1000
export const GENERAL = 'General'
const DAYS_TO_1904 = 1462
/** Built-in date formats depend on the locale (ECMA-376, 18.8.30), so ISO's are used. */
const DATES: Readonly<Record<number, string>> = { 14: 'yyyy-mm-dd', 15: 'yyyy-mm-dd', 22: 'yyyy-mm-dd hh:mm' }

/** Converts a workbook (ECMA-376, SpreadsheetML) to tables: each row becomes a line under the column names. Formulas
 *  count with their last computed value.
 *  @throws {Unreadable} if it's damaged, malicious or has no text. */
export function extractXlsx(archive: Zip): Extraction {
  const main = mainPart(archive, 'xl/workbook.xml', DAMAGED)
  const root = parseXml(archive.text(main), DAMAGED)
  const names = [...all(root, 'sheet')].map((sheet) => sheet.getAttribute('name') ?? '')
  const paths = referredParts(archive, main, 'sheet', DAMAGED)
  const date1904 = /^(?:1|true)$/.test(find(root, 'workbookPr')?.getAttribute('date1904') ?? '')
  const parts = relationsOf(archive, main, DAMAGED)
  const textOfPart = (type: string) => archive.text(parts.find((part) => part.type === type)?.path ?? `xl/${type}.xml`)
  const strings = sharedStrings(textOfPart('sharedStrings'))
  const book = { strings, formats: formatsOf(textOfPart('styles')), date1904, cells: 0, characters: 0 }
  const sheets = paths.map((path, index) => {
    const source = archive.text(path, MAX_SHEETS_LENGTH)
    const beside = besideHtml(archive, path, DAMAGED) + edgesOf(source)
    return { name: names[index] ?? '', rows: rowsOf(source, book), beside }
  })
  return { ...workbook('xlsx', sheets), about: officeProperties(archive) }
}

export type Sheet = {
  readonly name: string
  readonly rows: readonly string[][]
  readonly beside: string
}

/** Renders a workbook's sheets as tables, each with its comments and text boxes.
 *  @throws {Unreadable} if they're empty. */
export function workbook(ending: string, sheets: readonly Sheet[]): Extraction {
  const sections: Section[] = []
  let rendition = ''
  let position = 0
  for (const [index, { name, rows, beside }] of sheets.entries()) {
    const title = name || `Sheet ${index + 1}`
    const [columns, ...others] = rows
    if (columns) {
      const parts = tableSections(columns, others.length > 0 ? others : [columns], title, position)
      position = parts.end
      sections.push(...parts.sections)
      rendition += `${tableHtml(columns, others, title)}\n`
    }
    for (const { text } of textOfHtml(beside).sections) {
      sections.push({ page: null, heading: title, text, start: position })
      position += text.length + 2
    }
    rendition += beside
  }
  if (sections.length === 0) throw new Unreadable('sheets_empty')
  return { sections, mimeType: mediaTypeOf(ending), pages: null, rendition }
}

const EDGE = /<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)\b[^<>]*>([^<]+)</g
/** Codes for positions, fonts, page numbers and so on (ECMA-376, 18.3.1.46). */
const EDGE_CODE = /&amp;(?:(&amp;)|&quot;.{0,100}?&quot;|"[^"]{0,100}"|K[\dA-F]{6}|\d+|[A-Z])/g

const edgesOf = (source = ''): string => edgesHtml(Array.from(source.matchAll(EDGE), ([, text = '']) => text))

/** Renders the headers and footers that a sheet is printed with.
 *  @param texts With codes, escaped. */
export function edgesHtml(texts: readonly string[]): string {
  const plain = texts.map((text) => text.replaceAll(EDGE_CODE, (_, sign = ' ') => sign).trim())
  return [...new Set(plain)].map((text) => (/\p{L}{2}/u.test(text) ? `<p>${text}</p>` : '')).join('')
}

type Book = {
  readonly strings: readonly string[]
  readonly formats: readonly string[]
  /** Whether dates count from 1904, as in files from some Mac programs. */
  readonly date1904: boolean
  cells: number
  /** Many cells may share one long text. */
  characters: number
}

function rowsOf(source: string | undefined, book: Book): string[][] {
  if (!source) return []
  const rows: string[][] = []
  for (const row of all(parseXml(source, DAMAGED), 'row')) {
    const cells: string[] = []
    for (const cell of childrenOf(row, 'c')) {
      const column = columnOf(cell.getAttribute('r')) ?? cells.length
      // Empty cells before it count: they are part of the table.
      book.cells += column < MAX_COLUMNS ? Math.max(1, column + 1 - cells.length) : 1
      if (book.cells > MAX_CELLS) throw new Unreadable(TOO_LARGE)
      if (column >= MAX_COLUMNS) continue
      while (cells.length < column) cells.push('')
      const value = valueOfCell(cell, book)
      book.characters += value.length
      refuseLong(book.characters, MAX_TEXT_LENGTH)
      cells[column] = value
    }
    if (cells.some(Boolean)) rows.push(cells)
  }
  return rows
}

function valueOfCell(cell: Xml, { strings, formats, date1904 }: Book): string {
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
  // `n`, the default, is a number; some programs leave it out.
  if ((type !== null && type !== 'n') || value.trim() === '' || Number.isNaN(Number(value))) return value.trim()
  return shownNumber(formats[Number(cell.getAttribute('s') ?? 0)] ?? GENERAL, Number(value), date1904)
}

export function shownNumber(code: string, value: number, date1904: boolean): string {
  try {
    return format(code, date1904 && isDateFormat(code) ? value + DAYS_TO_1904 : value).trim()
  } catch {
    return String(value)
  }
}

/** Joins the runs of a text, without phonetic guides (`rPh`). */
const textOf = (node: Xml): string => {
  const runs = (parent: Xml): string => {
    let text = ''
    for (const child of parent.children) {
      if (child.nodeName === 't') text += child.textContent ?? ''
      else if (child.nodeName !== 'rPh') text += runs(child)
    }
    return text
  }
  return unescapedXml(runs(node)).replace(/\s+/g, ' ').trim()
}

/** Resolves codes for characters that XML doesn't allow, such as carriage returns (ECMA-376, part 1, 22.9.2.19). */
const unescapedXml = (text: string): string =>
  text.replace(/_x([\dA-F]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

const sharedStrings = (source: string | undefined): string[] =>
  source ? [...all(parseXml(source, DAMAGED), 'si')].map(textOf) : []

function formatsOf(source: string | undefined): string[] {
  if (!source) return []
  const styles = parseXml(source, DAMAGED)
  const codes = new Map(
    [...all(styles, 'numFmt')].map((format) => [format.getAttribute('numFmtId'), format.getAttribute('formatCode')]),
  )
  return (find(styles, 'cellXfs')?.children ?? []).map((style) => {
    const id = style.getAttribute('numFmtId')
    return codes.get(id) || DATES[Number(id)] || getFormatFromId(Number(id)) || GENERAL
  })
}

/** Returns the column index from 0 of a cell name: `B7` is 1. */
function columnOf(reference: string | null): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
