import { type Reading, readingOf } from '../reading.ts'
import type { Line } from './lines.ts'
import { type OpenPdf, pdfExtraction } from './pdf.ts'

/** The reading of a PDF whose pages have been read, in one call or in several. */
export async function readingOfPages(pdf: OpenPdf, pages: readonly (readonly Line[])[]): Promise<Reading> {
  return readingOf(pdfExtraction(pages, await pdf.bookmarks()))
}
