import type { SupabaseClient } from '@supabase/supabase-js'
import type { Embedder } from '../_shared/embedding.ts'
import { problemOf, Unreadable } from '../_shared/errors.ts'
import type { Cover } from '../_shared/extraction/cover.ts'
import { type Reading, readContent, readMarkdown } from '../_shared/extraction/extract.ts'
import type { Line } from '../_shared/extraction/pdf/lines.ts'
import { openPdf } from '../_shared/extraction/pdf/pdf.ts'
import { readingOfPages } from '../_shared/extraction/pdf/reading.ts'
import { sniff } from '../_shared/extraction/sniff.ts'
import { MAKER } from '../_shared/passages.ts'
import type { WebDeps } from '../_shared/web/fetch-page.ts'
import type { Budget } from './budget.ts'
import { fetchLink } from './fetch-link.ts'
import { Lost, type Queue, type Work } from './queue.ts'
import { withRecognizedText } from './recognized-text.ts'
import { storeCover } from './store-cover.ts'

export type RunDeps = {
  readonly service: SupabaseClient
  readonly queue: Queue
  readonly embedder: Promise<Embedder | null>
  readonly web: WebDeps
}

/** Passages that are sent in one request, and that are embedded between two reports. */
const PASSAGES_IN_REQUEST = 500
const BATCH = 8
/** Bytes. A larger file that is no PDF may take most of a call to read; see MOST_MARKUP. */
const LARGE = 1_000_000

/** Takes a document as far as the budget allows: fetches a link's page, reads, embeds, stores. What is not finished goes back
 *  to the queue, and the next run goes on there. Unreadable content is a result that the document shows, not an error. */
export async function runDocument(work: Work, deps: RunDeps, budget: Budget): Promise<void> {
  const { queue } = deps
  budget.startDocument()
  try {
    if (work.refetch) {
      await fetchLink(work, deps.service, deps.web)
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

/** @returns false when the budget was spent before the last passage was stored. */
async function readAndStore(work: Work, deps: RunDeps, budget: Budget): Promise<boolean> {
  if (work.reading === null && !(await readText(work, deps, budget))) return false
  const embedder = await budget.waitFor(deps.embedder)
  if (embedder !== null && !(await embed(work, embedder, deps.queue, budget))) return false
  await store(work, embedder, deps.queue, budget)
  return true
}

/** Reads the text and keeps its passages in the queue.
 *  @returns false when the budget was spent before the last page. */
async function readText(work: Work, deps: RunDeps, budget: Budget): Promise<boolean> {
  const reading = work.body !== null ? readMarkdown(work.body) : await readFile(work, deps, budget)
  if (!reading) return false
  const { passages, rendition, mimeType, cover, ...facts } = reading
  for (let first = 0; first < passages.length; first += PASSAGES_IN_REQUEST) {
    await deps.queue.keepPassages(work.run, first, passages.slice(first, first + PASSAGES_IN_REQUEST))
  }
  await deps.queue.keepReading(work.run, {
    ...facts,
    mime: mimeType,
    rendition: await storeRendition(work, rendition, deps.service),
    maker: MAKER,
    count: passages.length,
  })
  if (cover) await keepCover(work, cover, deps.service)
  return true
}

async function readFile(work: Work, deps: RunDeps, budget: Budget): Promise<Reading | null> {
  const bytes = await budget.waitFor(download(work, deps.service))
  const content = sniff(bytes, work.file_name ?? '')
  if (content.kind === 'pdf') return await readPdf(work, bytes, deps, budget)
  if (bytes.length > LARGE && content.kind !== 'image' && !budget.allowsLongStep()) return null
  const [recognized] = content.kind === 'image' ? await withRecognizedText([[]], versionOf(work), deps.service) : []
  return await readContent(content, bytes, recognized)
}

async function download({ storage_path }: Work, service: SupabaseClient): Promise<Uint8Array> {
  const { data, error } = await service.storage.from('documents').download(storage_path ?? '')
  if (error && 'status' in error && (error.status === 404 || error.status === 400)) {
    throw new Unreadable('stored_file_gone')
  }
  if (error) throw new Error(`download ${storage_path}: ${error.message}`, { cause: error })
  return new Uint8Array(await data.arrayBuffer())
}

/** Reads as many pages of a PDF as the budget allows, at least one.
 *  @returns null when there are more. */
async function readPdf(
  work: Work,
  bytes: Uint8Array,
  { service, queue }: RunDeps,
  budget: Budget,
): Promise<Reading | null> {
  const pdf = await openPdf(bytes)
  const readingOf = async (all: readonly (readonly Line[])[]) =>
    await readingOfPages(pdf, await withRecognizedText(all, versionOf(work), service))
  try {
    const pages = []
    let next = work.pages_read + 1
    do {
      if (next <= pdf.pageCount) pages.push(await pdf.readPage(next))
      next += 1
    } while (next <= pdf.pageCount && !budget.isSpent())
    if (work.pages_read === 0 && next > pdf.pageCount && !budget.isSpent()) return await readingOf(pages)
    await queue.keepPages(work.run, work.pages_read + 1, pages)
    await queue.report(work.run, 'extracting', 5 + (45 * (next - 1)) / pdf.pageCount)
    // What follows reads all pages together, which is a step of its own.
    if (next <= pdf.pageCount || (pages.length > 0 && budget.isSpent())) return null
    return await readingOf(await queue.keptPages(work.run))
  } finally {
    await pdf.close()
  }
}

/** Embeds what has no vector yet, as far as the budget allows.
 *  @returns false when passages are left. */
async function embed(work: Work, embedder: Embedder, queue: Queue, budget: Budget): Promise<boolean> {
  const count = Number(work.reading?.count ?? 0)
  for (;;) {
    const batch = await queue.passagesToEmbed(work.run, BATCH)
    if (batch.length === 0) return true
    const vectors = await embedder.embed(
      batch.map(({ heading, content }) => (heading ? `${heading}\n${content}` : content)),
    )
    await queue.keepEmbeddings(
      work.run,
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

/** Stores the passages a few at a time. That is work of the database: the budget is not charged for it. */
async function store(work: Work, embedder: Embedder | null, queue: Queue, budget: Budget): Promise<void> {
  const next = () => budget.waitFor(queue.store(work.run, versionOf(work), embedder?.model ?? null))
  while ((await next()) > 0);
}

/** Stores the readable copy next to the original file.
 *  @returns its path, or null if there is no copy. */
async function storeRendition(work: Work, rendition: string | null, service: SupabaseClient): Promise<string | null> {
  if (rendition === null) return null
  const path = `${folderOf(work)}/rendition.html`
  const { error } = await service.storage
    .from('documents')
    .upload(path, new Blob([rendition], { type: 'text/html' }), { contentType: 'text/html', upsert: true })
  if (error) throw new Error(`upload ${path}: ${error.message}`, { cause: error })
  return path
}

/** Names a book's cover, unless its version has one: without it the book is read all the same. */
async function keepCover(work: Work, cover: Cover, service: SupabaseClient): Promise<void> {
  const path = await storeCover(folderOf(work), cover, service)
  if (path === null) return
  const { error } = await service
    .from('versions')
    .update({ cover_path: path })
    .eq('id', versionOf(work))
    .is('cover_path', null)
  if (error) console.warn(`cover of ${work.document_id}: ${error.message}`)
}

/** Where what is made of a version's file lies. */
const folderOf = (work: Work): string => `${work.library_id}/${work.document_id}/${versionOf(work)}`

function versionOf({ version_id, document_id }: Work): string {
  if (version_id === null) throw new Error(`The document ${document_id} has no version.`)
  return version_id
}
