import { cutPassages, type Passage } from '../passages.ts'
import { Unreadable } from './extraction.ts'
import { extractHtml } from './html.ts'
import { extractMarkdown, readableMarkdown } from './markdown.ts'
import { extractPdf } from './pdf.ts'
import { extractPlainText } from './plain-text.ts'
import { sniff } from './sniff.ts'

export type Reading = {
  readonly passages: readonly Passage[]
  readonly mimeType: string
  readonly pages: number | null
}

/** Keeps one document from filling the index: about 400,000 words, half a dozen thick novels. */
const MOST_PASSAGES = 2000

/** From a file's bytes to its passages. An image has none, and that is no failure.
 *  @param onProgress Called with the share of the extraction that is done, 0 to 1.
 *  @throws {Unreadable} with a message for the person who uploaded the file. */
export async function readFile(
  bytes: Uint8Array,
  fileName: string,
  onProgress: (share: number) => Promise<void> = async () => {},
): Promise<Reading> {
  const content = sniff(bytes, fileName)
  if (content.kind === 'image') return { passages: [], mimeType: content.mimeType, pages: null }
  if (content.kind === 'text' && content.mimeType === 'text/markdown') return readMarkdown(content.text)
  const { sections, mimeType, pages } =
    content.kind === 'pdf'
      ? await extractPdf(bytes, onProgress)
      : content.mimeType === 'text/html'
        ? extractHtml(content.text)
        : extractPlainText(content.text)
  return { passages: bounded(cutPassages(sections)), mimeType, pages }
}

/** A note's text, or a Markdown file's. An empty note has no passages. */
export function readMarkdown(source: string): Reading {
  const { sections, mimeType, pages } = extractMarkdown(source)
  return { passages: bounded(cutPassages(sections, readableMarkdown)), mimeType, pages }
}

function bounded(passages: Passage[]): Passage[] {
  if (passages.length <= MOST_PASSAGES) return passages
  throw new Unreadable(
    `The document is too long: ${passages.length} passages, the limit is ${MOST_PASSAGES}. Split it and upload the parts.`,
  )
}
