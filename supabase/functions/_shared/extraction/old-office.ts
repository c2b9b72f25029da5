import { Buffer } from 'node:buffer'
import { Unreadable } from '../errors.ts'
import { decodeText } from './charset.ts'
import { type Extraction, escaped } from './extraction.ts'
import { extractionOf } from './html.ts'
import { GENERAL, MAX_CELLS, MAX_COLUMNS, shownNumber, workbook } from './xlsx.ts'

/** Documents from before Office 2007 (OLE compound files). The libraries are loaded on first use. */
const READERS = { doc: extractDoc, ppt: extractPpt, xls: extractXls } as const
const DAMAGED = { doc: 'docx_damaged', ppt: 'pptx_damaged', xls: 'xlsx_damaged' } as const

/** @throws {Unreadable} if it's damaged, password-protected or contains no text. */
export async function extractOldOffice(kind: keyof typeof READERS, bytes: Uint8Array): Promise<Extraction> {
  try {
    return await READERS[kind](bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(/password|encrypt/i.test(String(error)) ? 'archive_protected' : DAMAGED[kind])
  }
}

async function streamOf(bytes: Uint8Array, name: string): Promise<DataView> {
  const { CFB } = await import('@e965/xlsx')
  const file = CFB.read(bytes, { type: 'array' })
  if (CFB.find(file, 'EncryptedSummary')) throw new Unreadable('archive_protected')
  // PowerPoint 97 can save its own slides next to those of PowerPoint 95.
  const content = new Uint8Array((CFB.find(file, `/PP97_DUALSTORAGE/${name}`) ?? CFB.find(file, name))?.content ?? [])
  return new DataView(content.buffer)
}

/** The encryption bit in a Word document's header ([MS-DOC], FibBase). */
const ENCRYPTED = 0x100
/** The first version whose text is stored in pieces. Before, it's in one run and some code page. */
const WORD_97 = 0xc1
/** The character set of that text. */
const MAC = 0x100
// biome-ignore lint/suspicious/noControlCharactersInRegex: field instructions, pictures and note marks are control characters
const MARKS = /\x13[^\x14\x15]*[\x14\x15]?|[\x01-\x06\x08\x0e\x15]/g

async function textOfWord95(header: DataView): Promise<string> {
  const [from, to] = [header.getUint32(24, true), header.getUint32(28, true)]
  const source = Buffer.from(header.buffer).subarray(from, to).toString('latin1')
  const text = Buffer.from(source.replaceAll(MARKS, '').replaceAll('\x07', '\n'), 'latin1')
  const isMac = header.getUint16(20, true) === MAC
  return isMac ? new TextDecoder('macintosh').decode(text) : ((await decodeText(text)) ?? '')
}

async function extractDoc(bytes: Uint8Array): Promise<Extraction> {
  const header = await streamOf(bytes, 'WordDocument')
  if (header.getUint16(10, true) & ENCRYPTED) throw new Unreadable('archive_protected')
  if (header.getUint16(2, true) < WORD_97) {
    return extractionOf('doc', paragraphs(await textOfWord95(header)), 'document_of_pictures')
  }
  const { default: WordExtractor } = await import('word-extractor')
  const document = await new WordExtractor().extract(Buffer.from(bytes))
  const parts = [
    document.getBody(),
    document.getTextboxes(),
    document.getFootnotes(),
    document.getEndnotes(),
    document.getAnnotations(),
    document.getHeaders(),
  ]
  return extractionOf('doc', paragraphs(parts.join('\n')), 'document_of_pictures')
}

const paragraphs = (text: string): string =>
  text
    .split(/[\r\n\v\f]+/)
    .map((line) => line.replaceAll('\t', ' ').trim())
    .filter(Boolean)
    .map((line) => `<p>${escaped(line)}</p>\n`)
    .join('')

/** Record types of a presentation ([MS-PPT] 2.13.24). Slide texts are in a list of the document, each after its kind;
 *  texts of other shapes are in the slides. Masters contain only instructions. */
const [TEXT_HEADER, CHARACTERS, BYTES, LIST, MASTER, HANDOUT] = [0xf9f, 0xfa0, 0xfa8, 0xff0, 0x3f8, 0xfc9]
/** Notes start with a record naming their slide; the master's names none. */
const [NOTES, NOTES_ATOM] = [0x3f0, 0x3f1]
const LIST_OF_MASTERS = 1
const TITLES = [0, 6]

async function extractPpt(bytes: Uint8Array): Promise<Extraction> {
  const stream = await streamOf(bytes, 'PowerPoint Document')
  const seen = new Set<string>()
  let outline = ''
  let others = ''
  let kind = -1
  const walk = (from: number, to: number, isListed: boolean) => {
    for (let at = from; at + 8 <= to; ) {
      const version = stream.getUint16(at, true)
      const type = stream.getUint16(at + 2, true)
      const start = at + 8
      at = Math.min(to, start + stream.getUint32(at + 4, true))
      if (type === TEXT_HEADER && at - start >= 4) kind = stream.getUint32(start, true)
      else if (type === CHARACTERS || type === BYTES) {
        const content = new Uint8Array(stream.buffer, start, at - start)
        const text = new TextDecoder(type === BYTES ? 'latin1' : 'utf-16le').decode(content).trim()
        // Repeated content, such as the slide number, is an asterisk.
        if (text === '*' || seen.has(text)) continue
        seen.add(text)
        if (!isListed) others += paragraphs(text)
        else outline += TITLES.includes(kind) ? `<h2>${escaped(text.replace(/\s+/g, ' '))}</h2>\n` : paragraphs(text)
      } else if (
        (version & 0xf) === 0xf &&
        type !== MASTER &&
        type !== HANDOUT &&
        !isNotesMaster(stream, type, start)
      ) {
        if (type !== LIST || version >> 4 !== LIST_OF_MASTERS) walk(start, at, isListed || type === LIST)
      }
    }
  }
  walk(0, stream.byteLength, false)
  return extractionOf('ppt', outline + (others && `<h2></h2>\n${others}`), 'slides_without_text')
}

const isNotesMaster = (stream: DataView, type: number, start: number): boolean =>
  type === NOTES &&
  start + 12 <= stream.byteLength &&
  stream.getUint16(start + 2, true) === NOTES_ATOM &&
  stream.getUint32(start + 8, true) === 0

type Cell = { t?: string; v?: unknown; w?: string; z?: string | number; c?: { t?: string }[] }

async function extractXls(bytes: Uint8Array): Promise<Extraction> {
  const { read, set_cptable } = await import('@e965/xlsx')
  set_cptable(await import('@e965/xlsx/codepages'))
  const book = read(bytes, { type: 'array', dense: true, cellNF: true, cellFormula: false, cellHTML: false })
  const date1904 = book.Workbook?.WBProps?.date1904 === true
  let count = 0
  const sheets = book.SheetNames.map((name) => {
    const data: (Cell | undefined)[][] = book.Sheets[name]?.['!data'] ?? []
    const comments: string[] = []
    const rows = Array.from(data, (row = []) =>
      Array.from(row.slice(0, MAX_COLUMNS), (cell) => {
        if (!cell) return ''
        count += 1
        if (count > MAX_CELLS) throw new Unreadable('too_many_cells')
        for (const { t = '' } of cell.c ?? []) comments.push(t)
        const format = cell.z === 'm/d/yy' ? 'yyyy-mm-dd' : String(cell.z ?? GENERAL)
        if (cell.t === 'n') return shownNumber(format, Number(cell.v), date1904)
        return (cell.w ?? String(cell.v ?? '')).replace(/\s+/g, ' ').trim()
      }),
    ).filter((row) => row.some(Boolean))
    return { name, rows, beside: paragraphs(comments.join('\n')) }
  })
  return workbook('xls', sheets)
}
