import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import type { Embedder } from '../_shared/embedding.ts'
import { type Reading, readFile, readMarkdown } from '../_shared/extraction/extract.ts'
import { Unreadable } from '../_shared/extraction/extraction.ts'
import { Refusal } from '../_shared/http.ts'
import { reporter } from './reporter.ts'

/** The data that `begin_ingestion` returns about the document's current version. */
const Claim = z.object({
  claimed: z.boolean(),
  library_id: z.string(),
  version_id: z.string(),
  storage_path: z.string().nullable(),
  body: z.string().nullable(),
  file_name: z.string().nullable(),
  state: z.enum(['queued', 'extracting', 'embedding', 'ready', 'failed']),
})
type Claim = z.infer<typeof Claim>

export type Outcome = {
  readonly document_id: string
  readonly version_id: string
  readonly state: 'ready' | 'failed'
  readonly passages: number
  readonly pages: number | null
  readonly model: string | null
  readonly message: string | null
}

export type IngestionDeps = {
  /** Has the caller's rights, which decide whether there is anything to ingest. */
  readonly caller: SupabaseClient
  readonly service: SupabaseClient
  readonly openEmbedder: () => Promise<Embedder | null>
}

/** The number of passages that are embedded between two progress reports. */
const BATCH = 16

/** Reads the document's current version, splits it into passages, embeds and stores them. It can be repeated at any
 *  time. Unreadable content is a result ('failed' with a message that says what to do), not an error.
 *  @throws {Refusal} 404 when the caller may not edit such a document, 409 while another run is in progress. */
export async function ingest(documentId: string, { caller, service, openEmbedder }: IngestionDeps): Promise<Outcome> {
  const claim = await claimDocument(documentId, caller)
  const report = reporter(service, claim.version_id)
  try {
    const reading = await read(claim, service, (share) => report('extracting', 5 + share * 45))
    await report('embedding', 50)
    const { model, vectors } = await embedAll(reading, await openEmbedder(), (share) =>
      report('embedding', 50 + share * 40),
    )
    const passages = reading.passages.map(({ page, heading, start, end, content }, index) => ({
      page,
      heading,
      start,
      end,
      content,
      embedding: vectors?.[index]?.map((number) => Number(number.toFixed(6))) ?? null,
    }))
    const rendition = await keepRendition(documentId, claim, reading.rendition, service)
    const { data: stored } = await service
      .rpc('store_passages', {
        version: claim.version_id,
        passages,
        model,
        pages: reading.pages,
        mime: reading.mimeType,
        rendition,
        width: reading.width,
        height: reading.height,
      })
      .throwOnError()
    if (stored === null)
      throw new Unreadable('A newer version of this document has taken its place and is read instead.')
    return {
      document_id: documentId,
      version_id: claim.version_id,
      state: 'ready',
      passages: z.number().parse(stored),
      pages: reading.pages,
      model: model ?? 'lexical-384-v1',
      message: null,
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) console.error(`ingest ${documentId}:`, error)
    const message =
      error instanceof Unreadable
        ? error.message
        : 'Something went wrong on our side while reading this document. Run it again.'
    await report('failed', 0, message)
    return {
      document_id: documentId,
      version_id: claim.version_id,
      state: 'failed',
      passages: 0,
      pages: null,
      model: null,
      message,
    }
  }
}

async function claimDocument(documentId: string, caller: SupabaseClient): Promise<Claim> {
  const { data, error } = await caller.rpc('begin_ingestion', { document: documentId })
  if (error) throw new Error(`begin_ingestion: ${error.code} ${error.message}`, { cause: error })
  const [claim] = z.array(Claim).parse(data)
  if (!claim) throw new Refusal(404, 'The document is not there, holds nothing to read yet, or you may not edit it.')
  if (!claim.claimed && claim.state === 'failed')
    throw new Refusal(
      409,
      'Reading this document broke off three times. Make it smaller or split it, then upload the parts.',
    )
  if (!claim.claimed)
    throw new Refusal(409, `This document is being read already (${claim.state}). Wait until that is done.`)
  return claim
}

async function read(
  claim: Claim,
  service: SupabaseClient,
  onProgress: (share: number) => Promise<void>,
): Promise<Reading> {
  if (claim.body !== null) return readMarkdown(claim.body)
  const { data, error } = await service.storage.from('documents').download(claim.storage_path ?? '')
  if (error) {
    console.error(`download ${claim.storage_path}:`, error)
    throw new Unreadable(
      'The stored file cannot be fetched. Run it again; if that does not help, upload the file once more.',
    )
  }
  return await readFile(new Uint8Array(await data.arrayBuffer()), claim.file_name ?? '', onProgress)
}

/** Stores the readable copy next to the original file.
 *  @returns its path, or null if there is no copy. */
async function keepRendition(
  documentId: string,
  { library_id, version_id }: Claim,
  rendition: string | null,
  service: SupabaseClient,
): Promise<string | null> {
  if (rendition === null) return null
  const path = `${library_id}/${documentId}/${version_id}/rendition.html`
  const { error } = await service.storage
    .from('documents')
    .upload(path, new Blob([rendition], { type: 'text/html' }), { contentType: 'text/html', upsert: true })
  if (error) throw new Error(`upload ${path}: ${error.message}`, { cause: error })
  return path
}

/** All vectors of a document must come from one model: if the model fails halfway, the database computes them all. */
async function embedAll(
  { passages }: Reading,
  embedder: Embedder | null,
  onProgress: (share: number) => Promise<void>,
): Promise<{ model: string | null; vectors: number[][] | null }> {
  if (!embedder) return { model: null, vectors: null }
  const vectors: number[][] = []
  try {
    for (let first = 0; first < passages.length; first += BATCH) {
      const batch = passages.slice(first, first + BATCH)
      vectors.push(
        ...(await embedder.embed(batch.map(({ heading, content }) => (heading ? `${heading}\n${content}` : content)))),
      )
      await onProgress(vectors.length / passages.length)
    }
  } catch (error) {
    console.warn(`${embedder.model} stopped, words and word parts stand in for it:`, error)
    return { model: null, vectors: null }
  }
  return { model: embedder.model, vectors }
}
