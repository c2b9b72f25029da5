import { chooseAuthor, chooseTitle, dayOf } from '../about.ts'
import { type Reading, readingOf } from '../reading.ts'
import { titlesInType } from './layout.ts'
import type { Line } from './lines.ts'
import { type OpenPdf, pdfExtraction } from './pdf.ts'
import { referenceOfPdf } from './reference.ts'

/** Builds the reading of a PDF from its pages, which may have been read in several calls.
 *  @param fileName Many programs write it as the title. */
export async function readingOfPages(
  pdf: OpenPdf,
  pages: readonly (readonly Line[])[],
  fileName: string,
): Promise<Reading> {
  const bookmarks = await pdf.bookmarks()
  const properties = await pdf.properties()
  const { title, author, created, xmp } = properties
  // A single top-level bookmark, or one that repeats the whole first page, is the title; others are chapters.
  const [first, ...others] = bookmarks
  const firstPage = lettersOf((pages[0] ?? []).map(({ text }) => text).join(''))
  const isTitle =
    first &&
    (others.length > 0 ? others.every(({ level }) => level > first.level) : lettersOf(first.title) === firstPage)
  const said = [title, ...xmp('dc:title')].filter((text) => !isName(text, fileName))
  return readingOf({
    ...pdfExtraction(pages, bookmarks),
    about: {
      title: chooseTitle(...said, ...titlesInType(pages), isTitle ? first.title : null),
      author: chooseAuthor(author),
      dated: dayOf(created),
      reference: referenceOfPdf(properties, pages[0] ?? []),
    },
    outline: bookmarks.map((bookmark) => ({ ...bookmark, page: bookmark.page + 1 })),
  })
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const isName = (text: string, fileName: string): boolean =>
  lettersOf(text) === lettersOf(fileName.replace(/\.[^.]*$/, ''))
