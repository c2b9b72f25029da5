import { getDocumentProxy } from 'unpdf'
import { type Extraction, type Section, Unreadable } from './extraction.ts'
import { type Line, pageSections, repeatedLines } from './pdf-layout.ts'

/** More pages than any reference book has; a file that claims more is refused. */
const MOST_PAGES = 5000

type TextItem = {
  readonly str: string
  readonly transform: number[]
  readonly height: number
  readonly hasEOL: boolean
}

/** The text of a PDF page by page; a line in clearly larger type than the body counts as a heading.
 *  @param onPage Called after each page with a share of the work between 0 and 1.
 *  @throws {Unreadable} for a file that is damaged, protected, or made of pictures only. */
export async function extractPdf(bytes: Uint8Array, onPage: (share: number) => Promise<void>): Promise<Extraction> {
  const document = await open(bytes)
  try {
    if (document.numPages > MOST_PAGES) {
      throw new Unreadable(
        `The PDF has ${document.numPages} pages, the limit is ${MOST_PAGES}. Split it and upload the parts.`,
      )
    }
    const pages: Line[][] = []
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      pages.push(linesOf(items.filter((item): item is typeof item & TextItem => 'str' in item)))
      page.cleanup()
      await onPage(number / document.numPages)
    }
    return { sections: sectionsOf(pages), mimeType: 'application/pdf', pages: document.numPages }
  } catch (error) {
    throw unreadable(error)
  } finally {
    await document.loadingTask.destroy()
  }
}

async function open(bytes: Uint8Array) {
  try {
    // A copy, because pdf.js takes ownership of the buffer. `verbosity: 0` keeps its warnings out of the log.
    return await getDocumentProxy(bytes.slice(), { verbosity: 0 })
  } catch (error) {
    throw unreadable(error)
  }
}

function sectionsOf(pages: readonly Line[][]): Section[] {
  const repeated = repeatedLines(pages)
  const sections: Section[] = []
  let heading: string | null = null
  for (const [index, lines] of pages.entries()) {
    const found = pageSections(lines, bodySize(pages), repeated, heading)
    heading = found.heading
    sections.push(...found.sections.map((section) => ({ ...section, page: index + 1 })))
  }
  if (sections.length === 0) {
    throw new Unreadable(
      'This PDF holds pictures of pages but no text. Run it through a text recognition (OCR) and upload the result.',
    )
  }
  return sections
}

/** The size of most letters. */
function bodySize(pages: readonly Line[][]): number {
  const letters = new Map<number, number>()
  for (const line of pages.flat()) {
    const size = Math.round(line.size * 2) / 2
    letters.set(size, (letters.get(size) ?? 0) + line.text.length)
  }
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0
}

function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = []
  let text = ''
  let size = 0
  let y = 0
  for (const item of items) {
    if (item.str.trim() && text === '') y = item.transform[5] ?? 0
    if (item.str.trim()) size = Math.max(size, item.height || Math.abs(item.transform[3] ?? 0))
    text += item.str
    if (!item.hasEOL) continue
    if (text.trim()) lines.push({ text: text.replace(/\s+/g, ' ').trim(), size, y })
    text = ''
    size = 0
  }
  if (text.trim()) lines.push({ text: text.replace(/\s+/g, ' ').trim(), size, y })
  return lines
}

function unreadable(error: unknown): unknown {
  const name = error instanceof Error ? error.name : ''
  if (error instanceof Unreadable) return error
  if (name === 'PasswordException') {
    return new Unreadable(
      'This PDF is protected with a password. Save a copy without it (print it to PDF) and upload that.',
    )
  }
  if (
    [
      'InvalidPDFException',
      'FormatError',
      'MissingPDFException',
      'UnknownErrorException',
      'XRefParseException',
    ].includes(name)
  ) {
    return new Unreadable(
      'This PDF is damaged and cannot be opened. Open it on your computer, save it again and upload that copy.',
    )
  }
  return error
}
