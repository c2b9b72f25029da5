import { getDocumentProxy } from 'unpdf'
import { Unreadable } from '../../errors.ts'
import type { Extraction } from '../extraction.ts'
import { bookmarksOf } from './bookmarks.ts'
import { type Bookmark, sectionsOfPages } from './layout.ts'
import { type Line, linesOf, type TextItem } from './lines.ts'

/** More pages than any reference book has; a file that claims more is refused. */
const MOST_PAGES = 5000

/** A PDF whose pages can be read in several calls. Close it when done. */
export type OpenPdf = {
  readonly pageCount: number
  /** @param number Counts from 1. */
  readPage(number: number): Promise<Line[]>
  bookmarks(): Promise<Bookmark[]>
  /** The document information dictionary and the metadata (XMP), as they are in the file: often made by a program, not by a person. */
  properties(): Promise<PdfProperties>
  close(): Promise<void>
}
export type PdfProperties = {
  readonly title: string
  readonly author: string
  readonly created: string
  readonly subject: string
  /** The values of a property of XMP, by its name with its prefix in small letters. */
  readonly xmp: (name: string) => string[]
}

/** @param bytes Belong to the result from now on: a copy of a large file would take half of a function's memory.
 *  @throws {Unreadable} for a file that is damaged, protected, or has too many pages. Methods of the result throw it, too. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  // `verbosity: 0` keeps pdf.js' warnings out of the log.
  const pdf = await readable(() => getDocumentProxy(bytes, { verbosity: 0 }))
  if (pdf.numPages > MOST_PAGES) {
    await pdf.loadingTask.destroy()
    throw new Unreadable('too_many_pages', { count: pdf.numPages, limit: MOST_PAGES })
  }
  return {
    pageCount: pdf.numPages,
    readPage: (number) =>
      readable(async () => {
        const page = await pdf.getPage(number)
        const { items } = await page.getTextContent()
        page.cleanup()
        return linesOf(items.filter((item): item is typeof item & TextItem => 'str' in item))
      }),
    bookmarks: () => bookmarksOf(pdf),
    async properties() {
      const { info, metadata } = await pdf.getMetadata().catch(() => ({ info: {}, metadata: null }))
      const textOf = (name: string) => String((info as Record<string, unknown>)[name] ?? '')
      return {
        title: textOf('Title'),
        author: textOf('Author'),
        created: textOf('CreationDate'),
        subject: textOf('Subject'),
        xmp: (name) => [metadata?.get(name) ?? []].flat().map(String),
      }
    },
    async close() {
      await pdf.loadingTask.destroy()
    },
  }
}

/** The text of all pages under their headings.
 *  @throws {Unreadable} when the pages contain pictures only. */
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

/** Runs a call of pdf.js and translates its errors about the file. */
async function readable<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'PasswordException') {
      throw new Unreadable('pdf_protected')
    }
    if (DAMAGED_NAMES.includes(name)) {
      throw new Unreadable('pdf_damaged')
    }
    throw error
  }
}
