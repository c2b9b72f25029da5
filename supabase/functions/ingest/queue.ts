import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import type { Json } from '../_shared/database.ts'
import { Constants } from '../_shared/database.ts'
import type { Embedder } from '../_shared/embedding.ts'
import type { Problem } from '../_shared/errors.ts'
import type { Line } from '../_shared/extraction/pdf/lines.ts'
import type { Passage } from '../_shared/passages.ts'

const Work = z.object({
  run: z.string(),
  document_id: z.string(),
  library_id: z.string(),
  /** Null for a link that hasn't been fetched. */
  version_id: z.string().nullable(),
  kind: z.enum(Constants.public.Enums.document_kind),
  url: z.string().nullable(),
  title: z.string(),
  storage_path: z.string().nullable(),
  body: z.string().nullable(),
  file_name: z.string().nullable(),
  created_by: z.string().nullable(),
  refetch: z.boolean(),
  pages_read: z.number(),
  /** How many attachments may become documents; 0 once they have. */
  attachments_left: z.number(),
  /** Null until the whole text is read. */
  reading: z.record(z.string(), z.unknown()).nullable(),
})
export type Work = z.infer<typeof Work>

/** A mail's attachment, as reported to the database. */
export type Attachment = {
  readonly id: string
  /** Where it's stored; null if it doesn't become a document. */
  readonly path: string | null
  readonly file_name: string
  readonly title: string
  readonly content_hash: string
}

/** A whole reading, with its passages from ordinal `first` on; those before are stored. */
export type Read = {
  readonly reading: { [fact: string]: Json | undefined }
  readonly first: number
  readonly passages: Passage[]
}
type ToEmbed = { readonly ordinal: number; readonly heading: string | null; readonly content: string }
export type Embedded = { readonly ordinal: number; readonly embedding: number[] }

/** Another run took the document over, or it was deleted: this run ends silently. */
export class Lost extends Error {}

export type Queue = ReturnType<typeof openQueue>

/** The database's queue (supabase/schemas/indexing): each method calls the SQL function of that name. Methods
 *  with a run throw `Lost` if the run no longer holds its document. */
export function openQueue(service: Client) {
  const hold = ({ data: isHeld }: { data: boolean }): void => {
    if (!isHeld) throw new Lost()
  }
  return {
    isDatabaseCall: async (key: string) => (await service.rpc('is_database_call', { key }).throwOnError()).data,
    announceIndexer: async (version: number, call: number | null, embedder?: Embedder): Promise<void> => {
      const { model, unrelated } = embedder ?? {}
      const indexer = { indexer_version: version, model, call: call ?? undefined, unrelated: unrelated ?? undefined }
      await service.rpc('announce_indexer', indexer).throwOnError()
    },
    takeDocument: async (of: { document?: string; call?: number }): Promise<Work | null> =>
      z.array(Work).parse((await service.rpc('take_document', of).throwOnError()).data)[0] ?? null,
    report: async (run: string, state: 'extracting' | 'embedding', progress: number) =>
      hold(await service.rpc('report_indexing', { run, state, progress: Math.round(progress) }).throwOnError()),
    storePages: async (run: string, first: number, pages: Line[][]) =>
      hold(await service.rpc('store_pages', { run, first, pages }).throwOnError()),
    storedPages: async (run: string) => (await service.rpc('stored_pages', { run }).throwOnError()).data as Line[][],
    storePassages: async (run: string, first: number, passages: Passage[]) =>
      hold(await service.rpc('store_passages', { run, first, passages }).throwOnError()),
    completeReading: async (run: string, read: Read) =>
      hold(await service.rpc('complete_reading', { run, ...read }).throwOnError()),
    /** @returns the documents' ids, in order; null for a file that didn't become one. */
    addAttachments: async (run: string, version: string, files: Attachment[]): Promise<(string | null)[]> => {
      const { data } = await service.rpc('add_attachments', { run, version, files }).throwOnError()
      if (data === null) throw new Lost()
      return data
    },
    passagesToEmbed: async (run: string, most: number): Promise<ToEmbed[]> =>
      (await service.rpc('passages_to_embed', { run, most }).throwOnError()).data,
    /** @throws {Lost} also if another model has been announced. */
    storeEmbeddings: async (run: string, model: string, embeddings: Embedded[]) =>
      hold(await service.rpc('store_embeddings', { run, model, embeddings }).throwOnError()),
    /** Returns the number of passages left to store; 0 when the document is ready.
     *  @param read A reading to complete first. @throws {Lost} if there is nothing left to store. */
    store: async (run: string, version: string, model: string | null, read: Read | null): Promise<number> => {
      const stored = { run, version, model: model ?? undefined, ...read }
      const { data: left } = await service.rpc('store_reading', stored).throwOnError()
      if (left === null) throw new Lost()
      return left
    },
    fail: async (run: string, version: string | null, problem: Problem, mayPass: boolean): Promise<void> => {
      // The generated types don't allow null arguments.
      const failure = { run, version: version as string, problem, may_pass: mayPass }
      await service.rpc('fail_indexing', failure).throwOnError()
    },
    release: async (run: string, fetched = false): Promise<void> => {
      await service.rpc('release_run', { run, fetched }).throwOnError()
    },
    /** Updates the search words of a few documents' fields. Returns whether some may be left. */
    reindexWaiting: async (): Promise<boolean> => (await service.rpc('reindex_waiting').throwOnError()).data,
    callIndexer: async (): Promise<void> => {
      await service.rpc('call_indexer').throwOnError()
    },
  }
}
