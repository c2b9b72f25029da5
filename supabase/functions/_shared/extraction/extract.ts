import { imageSize } from 'image-size'
import { Unreadable } from '../errors.ts'
import { extractCsv } from './csv.ts'
import { extractDocx } from './docx.ts'
import { extractEmail, extractMhtml, type OpenedMail, openMail } from './email.ts'
import { extractEpub } from './epub.ts'
import { type Extraction, MAX_TEXT_LENGTH, refuseLong } from './extraction.ts'
import { extractHtml } from './html.ts'
import { extractMarkdown, readableMarkdown } from './markdown.ts'
import { extractOdt } from './odt.ts'
import { extractOldOffice } from './old-office.ts'
import { sectionsOfPages } from './pdf/layout.ts'
import type { Line } from './pdf/lines.ts'
import { extractPptx } from './pptx.ts'
import { type Reading, readingOf } from './reading.ts'
import { extractRtf } from './rtf.ts'
import type { Content } from './sniff.ts'
import { extractStructured } from './structured.ts'
import { extractXlsx } from './xlsx.ts'

export type { Reading } from './reading.ts'

const PACKED = { docx: extractDocx, epub: extractEpub, odt: extractOdt, pptx: extractPptx, xlsx: extractXlsx }

/** Converts content of a known type that fits one call to passages. An image has none; an unreadable kind of file is
 *  indexed by its name.
 *  @param recognized The recognized lines of each page of an image.
 *  @throws {Unreadable} */
export async function readContent(
  content: Exclude<Content, { kind: 'pdf' }>,
  bytes: Uint8Array,
  recognized: readonly (readonly Line[])[] = [[]],
): Promise<Reading> {
  if ('archive' in content) return readingOf(await PACKED[content.kind](content.archive))
  switch (content.kind) {
    case 'image':
      return { ...imageReading(content.mimeType, recognized), ...dimensionsOf(bytes) }
    case 'doc':
    case 'ppt':
    case 'xls':
      return readingOf(await extractOldOffice(content.kind, bytes))
    case 'rtf':
      return readingOf(extractRtf(bytes))
    case 'email':
    case 'mbox':
    case 'msg':
    case 'tnef':
      return readMail(await openMail(bytes, content.kind))
    case 'mhtml':
      return readingOf(await extractMhtml(bytes))
    case 'text':
      return readText(content.mimeType, content.text)
    case 'none':
      return readingOf({ ...extractPlainText(content.name), mimeType: content.mimeType })
  }
}

function readText(mimeType: string, text: string): Reading {
  if (mimeType === 'text/html') return readingOf(extractHtml(text))
  refuseLong(text.length, MAX_TEXT_LENGTH)
  if (mimeType === 'text/markdown') return readMarkdown(text)
  if (mimeType === 'text/csv') return readingOf(extractCsv(text))
  const structured = mimeType === 'text/plain' && extractStructured(text)
  return structured
    ? readingOf(structured)
    : readingOf(extractPlainText(text), JSON_TEXT.test(text) ? unescapedJson : wholeWords)
}

/** Joins words that are divided at the ends of lines, as manual pages divide them. */
const wholeWords = (text: string): string =>
  withLetters(text).replace(/(\p{Ll})[\u2010\u00ad]\n[ \t]*(?=\p{Ll})|(\p{Lu})\u2010\n[ \t]*(?=\p{Lu})/gu, '$1$2')

const JSON_TEXT = /^\s*[[{]\s*["[{]/

/** Resolves escapes, of which a line break would become part of the next word. */
const unescapedJson = (text: string): string =>
  withLetters(text).replace(/\\([nrt"/])/g, (_, sign: string) => (/\w/.test(sign) ? ' ' : sign))

/** Resolves escaped letters (`\u00e4`), as programs write them into data and code. */
const withLetters = (text: string): string =>
  text.replace(/(?:\\u[\da-f]{4})+/gi, (codes) => {
    const signs = codes.replace(/\\u(....)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    return /^[\p{L}\p{M}\p{N}\p{S}\p{P}]+$/u.test(signs) ? signs : codes
  })

const extractPlainText = (text: string): Extraction => ({
  sections: [{ page: null, heading: null, text, start: 0 }],
  mimeType: 'text/plain',
  pages: null,
})

/** Reads the text of a mail. @param addresses See extractEmail. */
export const readMail = (mail: OpenedMail, addresses?: readonly (string | null)[]): Reading =>
  readingOf(extractEmail(mail, addresses))

/** Reads a note or a Markdown file. An empty note has no passages. */
export const readMarkdown = (source: string): Reading => readingOf(extractMarkdown(source), readableMarkdown)

/** Images have no pages, even if their text is laid out like one; only a TIFF may have several. */
function imageReading(mimeType: string, recognized: readonly (readonly Line[])[]): Reading {
  const pages = recognized.length > 1 ? recognized.length : null
  const sections = sectionsOfPages(recognized, []).map((section) => (pages ? section : { ...section, page: null }))
  return readingOf({ sections, mimeType, pages })
}

const MAX_TIFF_PAGES = 1000

/** Returns an image's number of pages. A TIFF has a chain of directories, 12 bytes per entry (TIFF 6.0, section 2). */
export function pagesOfImage(mimeType: string, bytes: Uint8Array): number {
  if (mimeType !== 'image/tiff') return 1
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isLittle = bytes[0] === 0x49
  let pages = 0
  try {
    let place = view.getUint32(4, isLittle)
    while (place !== 0 && pages < MAX_TIFF_PAGES) {
      place = view.getUint32(place + 2 + 12 * view.getUint16(place, isLittle), isLittle)
      pages += 1
    }
  } catch {}
  return Math.max(1, pages)
}

function dimensionsOf(bytes: Uint8Array): { width: number; height: number } {
  try {
    const { width, height, orientation } = imageSize(bytes)
    return orientation && orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    throw new Unreadable('picture_damaged')
  }
}
