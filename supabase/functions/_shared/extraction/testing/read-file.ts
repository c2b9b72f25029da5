import { type Reading, readContent } from '../extract.ts'
import { openPdf } from '../pdf/pdf.ts'
import { readingOfPages } from '../pdf/reading.ts'
import { sniff } from '../sniff.ts'

/** Reads a whole file like the function `ingest`, in one call. @throws {Unreadable} */
export async function readFile(bytes: Uint8Array, fileName: string): Promise<Reading> {
  const content = await sniff(bytes, fileName)
  if (content.kind !== 'pdf') return await readContent(content, bytes)
  const pdf = await openPdf(bytes)
  try {
    const pages = []
    for (let number = 1; number <= pdf.pageCount; number++) pages.push(await pdf.readPage(number))
    return await readingOfPages(pdf, pages, fileName)
  } finally {
    await pdf.close()
  }
}
