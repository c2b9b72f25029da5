import { Buffer } from 'node:buffer'
import { brotliDecompressSync } from 'node:zlib'
import { getDocumentProxy } from 'unpdf'
import { Unreadable } from '../../errors.ts'
import type { Extraction } from '../extraction.ts'
import { all, find, parseXml } from '../xml.ts'
import { type Bookmark, sectionsOfPages } from './layout.ts'
import { type Line, linesOf, spelled, type TextItem } from './lines.ts'
import { isScan, type NoteItem, withNotes } from './notes.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type OutlineNode = Awaited<ReturnType<Pdf['getOutline']>>[number]

const MAX_BOOKMARKS = 3000
const MAX_DEPTH = 6

/** Returns the bookmarks in reading order, without those that have no title or no page. */
async function bookmarksOf(pdf: Pdf): Promise<Bookmark[]> {
  const bookmarks: Bookmark[] = []
  const visit = async (nodes: readonly OutlineNode[], level: number): Promise<void> => {
    for (const { title, dest, items } of nodes) {
      if (bookmarks.length >= MAX_BOOKMARKS) return
      const page = await pageOf(pdf, dest)
      const tidy = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
      if (page !== null && tidy) bookmarks.push({ title: tidy.slice(0, 200), level, page })
      if (level < MAX_DEPTH) await visit(items, level + 1)
    }
  }
  try {
    await visit((await pdf.getOutline()) ?? [], 1)
  } catch {
    return []
  }
  return bookmarks
}

async function pageOf(pdf: Pdf, dest: OutlineNode['dest']): Promise<number | null> {
  try {
    const target = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
    const page = target?.[0]
    if (typeof page === 'number') return page
    return page ? await pdf.getPageIndex(page) : null
  } catch {
    return null
  }
}

const MAX_PAGES = 5000
/** Files can also be pinned to a page, as an annotation of this type. Looking for them takes about a millisecond a page. */
const [PINNED, MAX_PINNED_PAGES] = [17, 300]
type Pinned = { readonly filename: string }
type Pin = { readonly fileId?: string; readonly file?: Pinned }

/** A PDF whose pages can be read across several calls. Close it when done. */
export type OpenPdf = {
  readonly pageCount: number
  /** @param number Starts at 1. */
  readPage(number: number): Promise<Line[]>
  bookmarks(): Promise<Bookmark[]>
  attachments(): Promise<{ name: string; bytes: Uint8Array }[]>
  /** The document information dictionary and XMP metadata, unfiltered: often written by a program, not a person. */
  properties(): Promise<PdfProperties>
  close(): Promise<void>
}
export type PdfProperties = {
  readonly title: string
  readonly author: string
  readonly created: string
  readonly subject: string
  /** Returns the values of an XMP property by its lowercase name with prefix. */
  readonly xmp: (name: string) => string[]
}

/** @param bytes Are owned by the result: a copy of a large file would take half of a function's memory.
 *  @throws {Unreadable} if the file is damaged, protected or has too many pages. Methods of the result throw it, too. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  // `verbosity: 0` keeps pdf.js warnings out of the log; pictures are never decoded.
  const settings = {
    verbosity: 0,
    enableXfa: true,
    maxImageSize: 1,
    useWorkerFetch: false,
    BinaryDataFactory: CharacterMaps,
  }
  const pdf = await readable(() => getDocumentProxy(bytes, settings))
  if (pdf.numPages > MAX_PAGES) {
    await pdf.loadingTask.destroy()
    throw new Unreadable('too_many_pages', { count: pdf.numPages, limit: MAX_PAGES })
  }
  return {
    pageCount: pdf.isPureXfa ? 1 : pdf.numPages,
    readPage: (number) =>
      readable(async () => {
        if (pdf.isPureXfa) return await linesOfForm(pdf)
        const page = await pdf.getPage(number)
        const { items } = await page.getTextContent()
        const texts = spelled(items.filter((item): item is typeof item & TextItem => 'str' in item))
        const lines = linesOf(texts)
        const annotations: NoteItem[] = await page.getAnnotations().catch(() => [])
        const stamp = lines.length > 0 && (await isScan(page, texts))
        page.cleanup()
        return withNotes(lines, annotations).map((line) => (stamp ? { ...line, stamp } : line))
      }),
    bookmarks: () => bookmarksOf(pdf),
    async attachments() {
      const files = new Map<string, Pinned>((await pdf.getAttachments().catch(() => null)) ?? [])
      const pinned = pdf.numPages > MAX_PINNED_PAGES ? null : pdf.getAnnotationsByType(new Set([PINNED]), new Set())
      const pins: Pin[] = (await pinned?.catch(() => null)) ?? []
      for (const { fileId, file } of pins) if (fileId && file) files.set(fileId, file)
      const contents = Array.from(files, async ([id, { filename }]) => {
        const content = await pdf.getAttachmentContent(id).catch(() => null)
        return content ? [{ name: filename, bytes: content }] : []
      })
      return (await Promise.all(contents)).flat()
    },
    async properties() {
      const { info, metadata } = await pdf.getMetadata().catch(() => ({ info: {}, metadata: null }))
      const textOf = (name: string) => encoded(String((info as Record<string, unknown>)[name] ?? ''))
      return {
        title: textOf('Title'),
        author: textOf('Author'),
        created: textOf('CreationDate'),
        subject: textOf('Subject'),
        xmp: (name) =>
          name === 'dc:title' ? titleIn(metadata?.getRaw()) : [metadata?.get(name) ?? []].flat().map(String),
      }
    },
    async close() {
      await pdf.loadingTask.destroy()
    },
  }
}

/** Returns the texts of an XFA form, whose pages exist only once a program has laid them out. In other readers its one page
 *  asks for such a program. */
async function linesOfForm(pdf: Pdf): Promise<Line[]> {
  const lines: Line[] = []
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    for (const item of items) {
      const text = 'str' in item ? item.str.replace(/\s+/g, ' ').trim() : ''
      if (text) lines.push({ text, size: 10, y: -lines.length })
    }
  }
  return lines
}

/** Loads character maps that CJK fonts refer to by name. Standard fonts aren't needed to extract text. */
class CharacterMaps {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl') throw new Error(`${filename} is not needed.`)
    const { default: maps } = await import('./character-maps.json', { with: { type: 'json' } })
    unpacked ??= brotliDecompressSync(Buffer.from(maps.packed, 'base64'))
    let at = 0
    for (const [name, size] of Object.entries(maps.sizes)) {
      if (name === filename) return new Uint8Array(unpacked.subarray(at, at + size))
      at += size
    }
    throw new Error(`There is no character map ${filename}.`)
  }
}
let unpacked: Uint8Array | undefined

function titleIn(xmp: string | undefined): string[] {
  try {
    const title = find(parseXml(xmp, 'pdf_damaged'), 'dc:title')
    const said = title ? [...all(title, 'rdf:li')] : []
    const first = said.find((one) => one.getAttribute('xml:lang') === 'x-default') ?? said[0]
    return [first?.textContent ?? title?.textContent ?? '']
  } catch {
    return []
  }
}

/** PDFDocEncoding from 0x80 on, where it differs from Latin-1. */
const PDF_CHARACTERS = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž'

function encoded(text: string): string {
  const bytes = Array.from(text, (sign) => {
    const special = PDF_CHARACTERS.indexOf(sign)
    return special === -1 ? (sign === '€' ? 0xa0 : (sign.codePointAt(0) ?? 0)) : 0x80 + special
  })
  if (bytes.every((byte) => byte < 0x80) || bytes.some((byte) => byte > 0xff)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes))
  } catch {
    return text
  }
}

/** Combines the text of all pages under their headings. @throws {Unreadable} if the pages contain only pictures. */
export function pdfExtraction(pages: readonly (readonly Line[])[], bookmarks: readonly Bookmark[]): Extraction {
  const sections = sectionsOfPages(pages, bookmarks)
  if (sections.length === 0) {
    throw new Unreadable('pdf_without_text')
  }
  return { sections, mimeType: 'application/pdf', pages: pages.length }
}

const DAMAGED_NAMES = [
  'InvalidPDFException',
  'FormatError',
  'MissingPDFException',
  'UnknownErrorException',
  'XRefParseException',
]

async function readable<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'PasswordException' || /encryption/.test(String(error))) {
      throw new Unreadable('pdf_protected')
    }
    if (DAMAGED_NAMES.includes(name)) {
      throw new Unreadable('pdf_damaged')
    }
    throw error
  }
}
