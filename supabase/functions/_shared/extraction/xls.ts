import { Unreadable } from '../errors.ts'
import { type Extraction, escaped, paragraphs } from './extraction.ts'
import { edgesHtml, GENERAL, MAX_CELLS, MAX_COLUMNS, shownNumber, workbook } from './xlsx.ts'

type Cell = { t?: string; v?: unknown; w?: string; z?: string | number; c?: { t?: string }[] }

/** Converts a sheet from before Office 2007. Older and newer formats have no stream `Workbook`, so only their cells and
 *  comments are read. */
export async function extractXls(streamOf: (name: string) => DataView, bytes: Uint8Array): Promise<Extraction> {
  const { read, set_cptable } = await import('@e965/xlsx')
  set_cptable(await import('@e965/xlsx/codepages'))
  const book = read(bytes, { type: 'array', dense: true, cellNF: true, cellFormula: false, cellHTML: false })
  const date1904 = book.Workbook?.WBProps?.date1904 === true
  const substreams = textsIn(streamOf('Workbook'))
  let count = 0
  const sheets = book.SheetNames.map((name, index) => {
    const data: (Cell | undefined)[][] = book.Sheets[name]?.['!data'] ?? []
    const { texts = new Set(), edges = new Set() }: Partial<SheetTexts> = substreams[index] ?? {}
    const rows = Array.from(data, (row = []) =>
      Array.from(row.slice(0, MAX_COLUMNS), (cell) => {
        if (!cell) return ''
        count += 1
        if (count > MAX_CELLS) throw new Unreadable('too_many_cells')
        for (const { t = '' } of cell.c ?? []) texts.add(t)
        const format = cell.z === 'm/d/yy' ? 'yyyy-mm-dd' : String(cell.z ?? GENERAL)
        if (cell.t === 'n') return shownNumber(format, Number(cell.v), date1904)
        return (cell.w ?? String(cell.v ?? '')).replace(/\s+/g, ' ').trim()
      }),
    ).filter((row) => row.some(Boolean))
    return { name, rows, beside: paragraphs([...texts].join('\n')) + edgesHtml([...edges].map(escaped)) }
  })
  return workbook('xls', sheets)
}

/** Records of a workbook's stream ([MS-XLS] 2.3): a sheet's begin and end, headers and footers, titles of charts, and
 *  text boxes and comments, whose text is in the records after them. */
const [BEGIN, END, HEADER, FOOTER, CHART_TEXT, BOX, CONTINUED] = [0x809, 0xa, 0x14, 0x15, 0x100d, 0x1b6, 0x3c]

type SheetTexts = { readonly texts: Set<string>; readonly edges: Set<string> }

/** Finds each sheet's text outside its cells. Charts are nested in their sheets. */
function textsIn(stream: DataView): SheetTexts[] {
  const sheets: SheetTexts[] = []
  let depth = 0
  let awaited = 0
  let box = ''
  for (let at = 0; at + 4 <= stream.byteLength; ) {
    const type = stream.getUint16(at, true)
    const start = at + 4
    at = start + stream.getUint16(at + 2, true)
    if (at > stream.byteLength) break
    if (type === BEGIN && depth++ === 0) sheets.push({ texts: new Set(), edges: new Set() })
    if (type === END) depth -= 1
    const sheet = sheets.at(-1)
    if (type === HEADER || type === FOOTER) sheet?.edges.add(textAt(stream, start, at, 2))
    else if (type === CHART_TEXT) sheet?.texts.add(textAt(stream, start + 2, at, 1))
    else if (type === BOX && at - start >= 12) {
      awaited = stream.getUint16(start + 10, true)
      box = ''
    } else if (type === CONTINUED && awaited > 0 && at > start) {
      box += decoded(stream, start, at, awaited)
      awaited -= stream.getUint8(start) & WIDE ? (at - start - 1) >> 1 : at - start - 1
      if (awaited > 0) continue
      sheet?.texts.add(box.trim())
    } else awaited = 0
  }
  // The first part is about the whole book.
  return sheets.slice(1)
}

/** A flag before a text: it's in UTF-16, not in its low bytes alone. */
const WIDE = 1

/** Reads a text after its length, which takes `size` bytes. */
function textAt(stream: DataView, start: number, end: number, size: 1 | 2): string {
  if (end - start <= size) return ''
  return decoded(stream, start + size, end, size === 1 ? stream.getUint8(start) : stream.getUint16(start, true))
}

/** Reads up to `length` characters after their flag. */
function decoded(stream: DataView, start: number, end: number, length: number): string {
  const isWide = stream.getUint8(start) & WIDE
  const bytes = new Uint8Array(stream.buffer, start + 1, Math.min(end - start - 1, isWide ? 2 * length : length))
  return new TextDecoder(isWide ? 'utf-16le' : 'latin1').decode(bytes)
}
