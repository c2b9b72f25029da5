import type { Embedder } from '../_shared/embedding.ts'
import { problemOf, Unreadable } from '../_shared/errors.ts'
import { openMail } from '../_shared/extraction/email.ts'
import { pagesOfImage, type Reading, readContent, readMail, readMarkdown } from '../_shared/extraction/extract.ts'
import type { Line } from '../_shared/extraction/pdf/lines.ts'
import { openPdf } from '../_shared/extraction/pdf/pdf.ts'
import { readingOfPages } from '../_shared/extraction/pdf/reading.ts'
import { sniff } from '../_shared/extraction/sniff.ts'
import { INDEXER_VERSION } from '../_shared/passages.ts'
import { addAttachments } from './attachments.ts'
import type { Budget } from './budget.ts'
import { Lost, type Queue, type Read, type Work } from './queue.ts'
import { newFolder, type Versions } from './versions.ts'

export type RunDeps = {
  readonly queue: Queue
  readonly versions: Versions
  readonly embedder: Promise<Embedder | null>
  readonly fetchLink: (work: Work) => Promise<void>
}

/** Passages per request, and passages embedded between two reports. */
const PASSAGES_IN_REQUEST = 500
const BATCH = 8
/** Bytes. Reading a larger non-PDF file may take most of a call; see MAX_MARKUP_LENGTH. */
const LARGE = 1_000_000

/** Takes a document as far as the budget allows: fetches a link, reads, embeds, stores. Unfinished work returns to the
 *  queue for the next run. Unreadable content is a result shown on the document, not an error. */
export async function runDocument(work: Work, deps: RunDeps, budget: Budget): Promise<void> {
  const { queue } = deps
  budget.startDocument()
  try {
    if (work.refetch) {
      await deps.fetchLink(work)
      await queue.release(work.run, true)
    } else if (!(await readAndStore(work, deps, budget))) await queue.release(work.run)
  } catch (error) {
    if (error instanceof Lost) return
    if (error instanceof Unreadable) {
      await queue.fail(work.run, work.version_id, error.problem, false)
      return
    }
    console.error(`ingest ${work.document_id}:`, error)
    await queue.fail(work.run, work.version_id, problemOf(work.refetch ? 'fetching_failed' : 'reading_failed'), true)
  }
}

/** @returns false if the budget ran out before the last passage was stored. */
async function readAndStore(work: Work, deps: RunDeps, budget: Budget): Promise<boolean> {
  const read = work.reading === null ? await readText(work, deps, budget) : null
  if (work.reading === null && !read) return false
  const embedder = await budget.waitFor(deps.embedder)
  if (embedder === null) await store(work, embedder, deps.queue, budget, read)
  else {
    if (read) await deps.queue.completeReading(work.run, read)
    if (!(await embed(work, embedder, deps.queue, budget))) return false
    await store(work, embedder, deps.queue, budget)
  }
  return true
}

/** Reads the text, and stores all but the last of many passages in the queue. @returns null if the budget ran out before
 *  the last page. */
async function readText(work: Work, deps: RunDeps, budget: Budget): Promise<Read | null> {
  const reading = work.body !== null ? readMarkdown(work.body) : await readFile(work, deps, budget)
  if (!reading) return null
  const { passages, rendition, mimeType, cover, ...facts } = reading
  let first = 0
  for (; first + PASSAGES_IN_REQUEST < passages.length; first += PASSAGES_IN_REQUEST) {
    await deps.queue.storePassages(work.run, first, passages.slice(first, first + PASSAGES_IN_REQUEST))
  }
  const path = cover && (await deps.versions.storeCover(newFolder(work), cover))
  if (path) await deps.versions.keepCover(versionOf(work), path)
  const copy = rendition === null ? null : await deps.versions.storeRendition(newFolder(work), rendition)
  const whole = { ...facts, mime: mimeType, rendition: copy, indexer_version: INDEXER_VERSION, count: passages.length }
  return { reading: whole, first, passages: passages.slice(first) }
}

async function readFile(work: Work, deps: RunDeps, budget: Budget): Promise<Reading | null> {
  const bytes = await budget.waitFor(deps.versions.download(work.storage_path ?? ''))
  const content = await sniff(bytes, work.file_name ?? '')
  if (content.kind === 'pdf') return await readPdf(work, bytes, deps, budget)
  const isQuick = content.kind === 'image' || content.kind === 'none'
  if (bytes.length > LARGE && !isQuick && !budget.allowsLongStep()) return null
  if (content.kind === 'email' || content.kind === 'mbox' || content.kind === 'msg' || content.kind === 'tnef') {
    const mail = await openMail(bytes, content.kind)
    return readMail(mail, await budget.waitFor(addAttachments(work, versionOf(work), mail.attachments, deps)))
  }
  const pages = content.kind === 'image' ? Array.from({ length: pagesOfImage(content.mimeType, bytes) }, () => []) : []
  const recognized = pages.length > 0 ? await withRecognizedText(pages, work, deps.versions) : undefined
  return await readContent(content, bytes, recognized)
}

type Pages = readonly (readonly Line[])[]

/** Records which pages are images and adds the text that browsers have recognized on them. */
async function withRecognizedText(pages: Pages, work: Work, versions: Versions): Promise<Pages> {
  const isPicture = (lines: readonly Line[]) => lines.every(({ stamp }) => stamp)
  const without = pages.flatMap((lines, index) => (isPicture(lines) ? [index + 1] : []))
  await versions.keepPagesWithoutText(versionOf(work), without)
  if (without.length === 0) return pages
  const recognized = new Map((await versions.recognizedPages(versionOf(work))).map(({ page, lines }) => [page, lines]))
  return pages.map((lines, index) => (isPicture(lines) ? [...(recognized.get(index + 1) ?? []), ...lines] : lines))
}

/** Reads as many PDF pages as the budget allows, at least one. @returns null if some are left. */
async function readPdf(
  work: Work,
  bytes: Uint8Array,
  { queue, versions }: RunDeps,
  budget: Budget,
): Promise<Reading | null> {
  const pdf = await openPdf(bytes)
  const readingOf = async (all: Pages) => {
    await budget.waitFor(addAttachments(work, versionOf(work), await pdf.attachments(), { queue, versions }))
    return await readingOfPages(pdf, await withRecognizedText(all, work, versions), work.file_name ?? '')
  }
  try {
    const pages = []
    let next = work.pages_read + 1
    do {
      if (next <= pdf.pageCount) pages.push(await pdf.readPage(next))
      next += 1
    } while (next <= pdf.pageCount && !budget.isSpent())
    if (work.pages_read === 0 && next > pdf.pageCount && !budget.isSpent()) return await readingOf(pages)
    await queue.storePages(work.run, work.pages_read + 1, pages)
    await queue.report(work.run, 'extracting', 5 + (45 * (next - 1)) / pdf.pageCount)
    // The rest reads all pages together and counts as a separate step.
    if (next <= pdf.pageCount || (pages.length > 0 && budget.isSpent())) return null
    return await readingOf(await queue.storedPages(work.run))
  } finally {
    await pdf.close()
  }
}

/** Embeds passages without a vector, as far as the budget allows. @returns false if some are left. */
async function embed(work: Work, embedder: Embedder, queue: Queue, budget: Budget): Promise<boolean> {
  const count = Number(work.reading?.count ?? 0)
  for (;;) {
    const batch = await queue.passagesToEmbed(work.run, BATCH)
    if (batch.length === 0) return true
    const vectors = await embedder.embed(
      batch.map(({ heading, content }) => (heading ? `${heading}\n${content}` : content)),
    )
    await queue.storeEmbeddings(
      work.run,
      embedder.model,
      batch.map(({ ordinal }, index) => ({
        ordinal,
        embedding: vectors[index]?.map((number) => Number(number.toFixed(6))) ?? [],
      })),
    )
    const last = batch.at(-1)?.ordinal ?? 0
    await queue.report(work.run, 'embedding', 50 + (40 * last) / Math.max(count, last + 1))
    if (budget.isSpent()) return false
  }
}

/** Stores passages in small batches. The database does the work, so it doesn't count against the budget. */
async function store(
  work: Work,
  embedder: Embedder | null,
  queue: Queue,
  budget: Budget,
  read: Read | null = null,
): Promise<void> {
  const next = (read: Read | null) =>
    budget.waitFor(queue.store(work.run, versionOf(work), embedder?.model ?? null, read))
  for (let remaining = await next(read); remaining > 0; remaining = await next(null));
}

function versionOf({ version_id, document_id }: Work): string {
  if (version_id === null) throw new Error(`The document ${document_id} has no version.`)
  return version_id
}
