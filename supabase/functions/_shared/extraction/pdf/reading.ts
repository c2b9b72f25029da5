import { chooseAuthor, chooseTitle, dayOf } from '../about.ts'
import { type Reading, readingOf } from '../reading.ts'
import { titleInType } from './layout.ts'
import type { Line } from './lines.ts'
import { type OpenPdf, pdfExtraction } from './pdf.ts'

/** The reading of a PDF whose pages have been read, in one call or in several. */
export async function readingOfPages(pdf: OpenPdf, pages: readonly (readonly Line[])[]): Promise<Reading> {
  const bookmarks = await pdf.bookmarks()
  const { title, author, created } = await pdf.properties()
  return readingOf({
    ...pdfExtraction(pages, bookmarks),
    about: {
      title: chooseTitle(title, titleInType(pages)),
      author: chooseAuthor(author),
      dated: dayOf(created),
    },
    outline: bookmarks.map((bookmark) => ({ ...bookmark, page: bookmark.page + 1 })),
  })
}
