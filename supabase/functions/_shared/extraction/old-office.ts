import { Buffer } from 'node:buffer'
import { Unreadable } from '../errors.ts'
import { type About, chooseAuthor, chooseTitle, dayOf } from './about.ts'
import { decodeText } from './charset.ts'
import { type Extraction, escaped, paragraphs } from './extraction.ts'
import { extractionOf } from './html.ts'
import { decodedAs, rubyBase } from './rtf.ts'
import { extractXls } from './xls.ts'

/** Documents from before Office 2007 (OLE compound files). The libraries are loaded on first use. */
const READERS = { doc: extractDoc, ppt: extractPpt, xls: extractXls } as const
const DAMAGED = { doc: 'docx_damaged', ppt: 'pptx_damaged', xls: 'xlsx_damaged' } as const

type StreamOf = (name: string) => DataView

/** @throws {Unreadable} if it's damaged, password-protected or contains no text. */
export async function extractOldOffice(kind: keyof typeof READERS, bytes: Uint8Array): Promise<Extraction> {
  try {
    const { CFB } = await import('@e965/xlsx')
    const file = CFB.read(bytes, { type: 'array' })
    if (CFB.find(file, 'EncryptedSummary')) throw new Unreadable('archive_protected')
    const streamOf: StreamOf = (name) => {
      // PowerPoint 97 can save its own slides next to those of PowerPoint 95. Embedded documents have the same streams.
      const paths = [`/PP97_DUALSTORAGE/${name}`, `/${name}`, name]
      const entry = paths.map((path) => CFB.find(file, path)).find(Boolean)
      return new DataView(new Uint8Array(entry?.content ?? []).buffer)
    }
    const extraction = await READERS[kind](streamOf, bytes)
    return { ...extraction, about: propertiesIn(streamOf('\x05SummaryInformation')) }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable(/password|encrypt/i.test(String(error)) ? 'archive_protected' : DAMAGED[kind])
  }
}

/** Properties of a document ([MS-OLEPS], 2.25) and the types of their values: text of two kinds, and a date. */
const [CODE_PAGE, TITLE, AUTHOR, CREATED] = [1, 2, 4, 12]
const [BYTE_TEXT, WIDE_TEXT, FILE_TIME] = [0x1e, 0x1f, 0x40]
/** Milliseconds from 1601, from which dates count, to 1970. */
const TO_1970 = 11_644_473_600_000

function propertiesIn(stream: DataView): Partial<About> {
  const valueAt = (property: number): string => {
    const start = stream.getUint32(44, true)
    const index = Array.from({ length: Math.min(100, stream.getUint32(start + 4, true)) }).findIndex(
      (_, index) => stream.getUint32(start + 8 + 8 * index, true) === property,
    )
    if (index === -1) return ''
    const at = start + stream.getUint32(start + 12 + 8 * index, true)
    const type = stream.getUint32(at, true)
    if (type === FILE_TIME) return new Date(Number(stream.getBigUint64(at + 4, true) / 10_000n) - TO_1970).toISOString()
    if (type !== BYTE_TEXT && type !== WIDE_TEXT) return `${stream.getUint16(at + 4, true)}`
    const text = new Uint8Array(stream.buffer.slice(at + 8)).subarray(
      0,
      stream.getUint32(at + 4, true) * (type === WIDE_TEXT ? 2 : 1),
    )
    return decodedAs(type === WIDE_TEXT ? 1200 : Number(valueAt(CODE_PAGE)), text)
  }
  try {
    return { title: chooseTitle(valueAt(TITLE)), author: chooseAuthor(valueAt(AUTHOR)), dated: dayOf(valueAt(CREATED)) }
  } catch {
    return {}
  }
}

/** Bits in a Word document's header ([MS-DOC], FibBase). */
const [FAST_SAVED, ENCRYPTED, SECOND_TABLE, WIDE] = [0x4, 0x100, 0x200, 0x1000]
/** The first version whose text is always in pieces. Before, it's in some code page, of which a Mac's has a number. */
const [WORD_97, MAC] = [0xc1, 0x100]
/** Where the headers have the place of the table of pieces. */
const [PIECES_95, PIECES_97] = [0x160, 0x1a2]
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: field instructions, pictures and note marks are control characters
const [FIELD, MARKS] = [/\x13([^\x13-\x15]*)(?:\x14([^\x13-\x15]*))?\x15/g, /[\0-\x06\x08\x0e\x13-\x15]/g]

/** Converts Word's control characters: fields show their results, cells are separated, hyphens may be special ones. */
function shown(text: string): string {
  let plain = text
  for (let depth = 0; depth < 5; depth++)
    plain = plain.replace(FIELD, (_, instruction: string, result = rubyBase(instruction)) => result)
  return plain
    .replace(MARKS, '')
    .replace(/\x07\x07/g, '\n')
    .replaceAll('\x07', '\t')
    .replaceAll('\x1e', '-')
    .replaceAll('\x1f', '\xad')
}
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: field instructions, pictures and note marks are control characters

async function textOfWord95(header: DataView): Promise<string> {
  const flags = header.getUint16(10, true)
  const width = flags & WIDE ? 2 : 1
  const start = header.getUint32(24, true)
  const pieces =
    flags & FAST_SAVED
      ? piecesIn(header, header, header.getUint32(PIECES_95, true))
      : [{ place: start, length: (header.getUint32(28, true) - start) / width }]
  const bytes = Buffer.concat(pieces.map(({ place, length }) => bytesAt(header, place, length * width)))
  if (flags & WIDE) return shown(bytes.toString('utf16le'))
  const text = Buffer.from(shown(bytes.toString('latin1')), 'latin1')
  const isMac = header.getUint16(20, true) === MAC
  return isMac ? new TextDecoder('macintosh').decode(text) : ((await decodeText(text)) ?? '')
}

async function extractDoc(streamOf: StreamOf): Promise<Extraction> {
  const header = streamOf('WordDocument')
  const flags = header.getUint16(10, true)
  if (flags & ENCRYPTED) throw new Unreadable('archive_protected')
  const text =
    header.getUint16(2, true) < WORD_97
      ? await textOfWord95(header)
      : textOfWord97(header, streamOf(flags & SECOND_TABLE ? '1Table' : '0Table'))
  return extractionOf('doc', paragraphs(text), 'document_of_pictures')
}

/** Where the header has the lengths of the body, footnotes, headers, comments, endnotes and text boxes, in their order. */
const [LENGTHS, HEADERS] = [[0x4c, 0x50, 0x54, 0x5c, 0x60, 0x64, 0x68], 0x54]

function textOfWord97(header: DataView, table: DataView): string {
  const deleted = deletedIn(header, table)
  let text = ''
  for (const { place, length } of piecesIn(header, table, header.getUint32(PIECES_97, true))) {
    const [width, start] = place & IN_BYTES ? [1, (place & ~IN_BYTES) / 2] : [2, place]
    const content = bytesAt(header, start, length * width)
    for (const [from, to] of deleted) content.fill(0, Math.max(0, from - start), Math.max(0, to - start))
    text += new TextDecoder(width === 1 ? 'windows-1252' : 'utf-16le').decode(content)
  }
  const parts = LENGTHS.map((part) => {
    const length = header.getUint32(part, true)
    const own = shown(text.slice(0, length))
    text = text.slice(length)
    // Sections repeat their headers.
    return part === HEADERS ? [...new Set(own.split('\r'))].join('\r') : own
  })
  return parts.join('\n')
}

const bytesAt = ({ buffer }: DataView, start: number, length: number) =>
  new Uint8Array(buffer).slice(start, start + length)

/** Reads a table of pieces: the numbers of their first characters, and a description of each, 8 bytes.
 *  @throws {RangeError} if they have more characters than the document has bytes. */
function piecesIn(header: DataView, table: DataView, start: number): { place: number; length: number }[] {
  let at = start
  let all = 0
  while (table.getUint8(at) === 1) at += 3 + table.getUint16(at + 1, true)
  const count = (table.getUint32(at + 1, true) - 4) / 12
  at += 5
  return Array.from({ length: count }, (_, piece) => {
    const place = table.getUint32(at + 4 * count + 8 * piece + 6, true)
    const length = Math.max(0, table.getUint32(at + 4 * piece + 4, true) - table.getUint32(at + 4 * piece, true))
    all += length
    if (all > header.byteLength) throw new RangeError('Pieces overlap')
    return { place, length }
  })
}

/** The bit of a piece in Windows-1252 instead of UTF-16. */
const IN_BYTES = 0x40000000
/** The property of text that a tracked change deleted, and how many bytes the values of properties have by their kinds. */
const [DELETED, VALUE_SIZES] = [0x800, [1, 1, 2, 4, 2, 2, 0, 3]]

/** Finds deleted text: ranges of the document's stream, from pages of 512 bytes with the properties of characters. */
function deletedIn(header: DataView, table: DataView): [number, number][] {
  const [start, size] = [header.getUint32(0xfa, true), header.getUint32(0xfe, true)]
  const count = (size - 4) / 8
  const deleted: [number, number][] = []
  for (let index = 0; index < count; index++) {
    const page = 512 * table.getUint32(start + 4 * (count + 1 + index), true)
    if (page + 512 > header.byteLength) continue
    const runs = header.getUint8(page + 511)
    for (let run = 0; run < runs; run++) {
      const place = page + 2 * header.getUint8(page + 4 * (runs + 1) + run)
      const end = place === page ? 0 : place + 1 + header.getUint8(place)
      for (let at = place + 1; at + 2 < Math.min(end, page + 512); ) {
        const property = header.getUint16(at, true)
        if (property === DELETED && header.getUint8(at + 2) === 1)
          deleted.push([header.getUint32(page + 4 * run, true), header.getUint32(page + 4 * run + 4, true)])
        at += 2 + (VALUE_SIZES[property >> 13] || 1 + header.getUint8(at + 2))
      }
    }
  }
  return deleted
}

/** Record types of a presentation ([MS-PPT] 2.13.24). Slide texts are in a list of the document, each after its kind;
 *  texts of other shapes are in the slides. Masters contain only instructions. */
const [TEXT_HEADER, CHARACTERS, BYTES, LIST] = [0xf9f, 0xfa0, 0xfa8, 0xff0]
const MASTERS = new Set([0x3f8, 0xfc9])
const LIST_OF_MASTERS = 1
const TITLES = [0, 6]
/** Masters of titles and notes look like slides, but their shapes are placeholders of these kinds, with instructions. */
const [SHAPE, PLACEHOLDER, LAST_OF_MASTERS] = [0xf004, 0xbc3, 6]
/** Strings by the records that contain them: headers and footers, and comments. Others are names. */
const STRING = 0xfba
const SHOWN_STRINGS = new Map([
  [0xfd9, [1, 2]],
  [0x2ee0, [1]],
])
const isShown = (type: number, container: number, instance: number): boolean =>
  type === STRING && SHOWN_STRINGS.get(container)?.includes(instance) === true
/** A record with others, although its version doesn't say so. */
const TAG_DATA = 0x138b

async function extractPpt(streamOf: StreamOf): Promise<Extraction> {
  const stream = streamOf('PowerPoint Document')
  const seen = new Set<string>()
  let outline = ''
  let others = ''
  let kind = -1
  let placeholder = 0
  const walk = (from: number, to: number, isListed: boolean, container = 0) => {
    for (let at = from; at + 8 <= to; ) {
      const version = stream.getUint16(at, true)
      const type = stream.getUint16(at + 2, true)
      const start = at + 8
      at = Math.min(to, start + stream.getUint32(at + 4, true))
      if (type === TEXT_HEADER && at - start >= 4) kind = stream.getUint32(start, true)
      else if (type === PLACEHOLDER && at - start >= 8) placeholder = stream.getUint8(start + 4)
      else if (type === CHARACTERS || type === BYTES || isShown(type, container, version >> 4)) {
        if (!isListed && placeholder > 0 && placeholder <= LAST_OF_MASTERS) continue
        const content = new Uint8Array(stream.buffer, start, at - start)
        const text = new TextDecoder(type === BYTES ? 'latin1' : 'utf-16le').decode(content).trim()
        // Repeated content, such as the slide number, is an asterisk.
        if (text === '*' || seen.has(text)) continue
        seen.add(text)
        if (!isListed) others += paragraphs(text)
        else outline += TITLES.includes(kind) ? `<h2>${escaped(text.replace(/\s+/g, ' '))}</h2>\n` : paragraphs(text)
      } else if (((version & 0xf) === 0xf || type === TAG_DATA) && !MASTERS.has(type)) {
        if (type === SHAPE) placeholder = 0
        if (type !== LIST || version >> 4 !== LIST_OF_MASTERS) walk(start, at, isListed || type === LIST, type)
        if (type === SHAPE) placeholder = 0
      }
    }
  }
  walk(0, stream.byteLength, false)
  return extractionOf('ppt', outline + (others && `<h2></h2>\n${others}`), 'slides_without_text')
}
