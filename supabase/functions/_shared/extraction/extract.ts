import { imageSize } from 'image-size'
import { cutPassages, type Passage } from '../passages.ts'
import { extractCsv } from './csv.ts'
import { extractDocx } from './docx.ts'
import { extractEpub } from './epub.ts'
import { type Extraction, Unreadable } from './extraction.ts'
import { extractHtml } from './html.ts'
import { extractMarkdown, readableMarkdown } from './markdown.ts'
import { openPdf, pdfExtraction } from './pdf/pdf.ts'
import { extractPlainText } from './plain-text.ts'
import { type Content, sniff } from './sniff.ts'

export type Reading = {
  readonly passages: readonly Passage[]
  readonly mimeType: string
  readonly pages: number | null
  /** See Extraction. */
  readonly rendition: string | null
  /** An image's size in pixels. */
  readonly width: number | null
  readonly height: number | null
}

const NO_IMAGE = { width: null, height: null }

/** Prevents one document from filling the index: about two million words, a large reference work. */
const MOST_PASSAGES = 10_000

/** Converts a file's bytes to passages. An image has none, which is not a failure.
 *  @param onProgress Called with the completed share of the extraction, 0 to 1.
 *  @throws {Unreadable} with a message for the person who uploaded the file. */
export async function readFile(
  bytes: Uint8Array,
  fileName: string,
  onProgress: (share: number) => Promise<void> = async () => {},
): Promise<Reading> {
  const content = sniff(bytes, fileName)
  if (content.kind === 'image') {
    return { passages: [], mimeType: content.mimeType, pages: null, rendition: null, ...dimensionsOf(bytes) }
  }
  if (content.kind === 'text' && content.mimeType === 'text/markdown') return readMarkdown(content.text)
  const { sections, mimeType, pages, rendition } = await extract(content, bytes, onProgress)
  return { passages: bounded(cutPassages(sections)), mimeType, pages, rendition: rendition ?? null, ...NO_IMAGE }
}

async function extract(
  content: Exclude<Content, { kind: 'image' }>,
  bytes: Uint8Array,
  onProgress: (share: number) => Promise<void>,
): Promise<Extraction> {
  switch (content.kind) {
    case 'pdf':
      return await extractPdf(bytes, onProgress)
    case 'docx':
      return extractDocx(content.archive)
    case 'epub':
      return extractEpub(content.archive)
    case 'text':
      if (content.mimeType === 'text/html') return extractHtml(content.text)
      return content.mimeType === 'text/csv' ? extractCsv(content.text) : extractPlainText(content.text)
  }
}

/** @throws {Unreadable} when the image is too damaged to read its size. */
function dimensionsOf(bytes: Uint8Array): { width: number; height: number } {
  try {
    const { width, height, orientation } = imageSize(bytes)
    // With a camera held upright, the image is stored rotated and displayed turned back.
    return orientation && orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    throw new Unreadable('This picture is damaged. Open it on your computer, save it again and upload that copy.')
  }
}

/** The text of a note or a Markdown file. An empty note has no passages. */
export function readMarkdown(source: string): Reading {
  const { sections, mimeType, pages } = extractMarkdown(source)
  return { passages: bounded(cutPassages(sections, readableMarkdown)), mimeType, pages, rendition: null, ...NO_IMAGE }
}

function bounded(passages: Passage[]): Passage[] {
  if (passages.length <= MOST_PASSAGES) return passages
  throw new Unreadable(
    `The document is too long: ${passages.length} passages, the limit is ${MOST_PASSAGES}. Split it and upload the parts.`,
  )
}

async function extractPdf(bytes: Uint8Array, onProgress: (share: number) => Promise<void>): Promise<Extraction> {
  const pdf = await openPdf(bytes)
  try {
    const pages = []
    for (let number = 1; number <= pdf.pageCount; number++) {
      pages.push(await pdf.readPage(number))
      await onProgress(number / pdf.pageCount)
    }
    return pdfExtraction(pages, await pdf.bookmarks())
  } finally {
    await pdf.close()
  }
}
