import type { SupabaseClient } from '@supabase/supabase-js'
import { z } from 'zod'
import type { Problem } from '../_shared/errors.ts'
import type { Line } from '../_shared/extraction/pdf/lines.ts'
import type { Passage } from '../_shared/passages.ts'

const Work = z.object({
  run: z.string(),
  document_id: z.string(),
  library_id: z.string(),
  /** Null for a link whose page has not been fetched yet. */
  version_id: z.string().nullable(),
  kind: z.enum(['file', 'note', 'link']),
  url: z.string().nullable(),
  title: z.string(),
  storage_path: z.string().nullable(),
  body: z.string().nullable(),
  file_name: z.string().nullable(),
  created_by: z.string().nullable(),
  /** The link's page is to be fetched first. */
  refetch: z.boolean(),
  /** The number of pages that earlier runs have read. */
  pages_read: z.number(),
  /** Null until all of the text is read. */
  reading: z.record(z.string(), z.unknown()).nullable(),
})
/** A document that a run has taken from the queue. */
export type Work = z.infer<typeof Work>

const ToEmbed = z.array(z.object({ ordinal: z.number(), heading: z.string().nullable(), content: z.string() }))
export type Embedded = { readonly ordinal: number; readonly embedding: readonly number[] }

/** Another run has the document now, or it was deleted: this run ends without a trace. */
export class Lost extends Error {}

export type Queue = ReturnType<typeof openQueue>

/** The queue in the database (supabase/schemas/09_reading.sql): every method is the SQL function of
 *  that name. Methods with a run throw `Lost` when the run has lost its document. */
export function openQueue(service: SupabaseClient) {
  const call = async (name: string, args: object): Promise<unknown> => {
    const { data, error } = await service.rpc(name, args)
    if (error) throw new Error(`${name}: ${error.code} ${error.message}`, { cause: error })
    return data
  }
  const hold = async (name: string, args: object): Promise<void> => {
    if ((await call(name, args)) !== true) throw new Lost(name)
  }
  return {
    isIndexingCall: async (key: string) => (await call('is_indexing_call', { key })) === true,
    announceIndexer: (maker: number, model: string | null, id: number | null) =>
      call('announce_indexer', { maker, model, call: id }),
    takeDocument: async (document: string | null): Promise<Work | null> =>
      z.array(Work).parse(await call('take_document', { document }))[0] ?? null,
    report: (run: string, state: 'extracting' | 'embedding', progress: number) =>
      hold('report_indexing', { run, state, progress: Math.round(progress) }),
    keepPages: (run: string, first: number, pages: readonly (readonly Line[])[]) =>
      hold('keep_pages', { run, first, pages }),
    keptPages: async (run: string) => (await call('kept_pages', { run })) as Line[][],
    keepPassages: (run: string, first: number, passages: readonly Passage[]) =>
      hold('keep_passages', { run, first, passages }),
    keepReading: (run: string, reading: object) => hold('keep_reading', { run, reading }),
    passagesToEmbed: async (run: string, most: number) => ToEmbed.parse(await call('passages_to_embed', { run, most })),
    keepEmbeddings: (run: string, embeddings: readonly Embedded[]) => hold('keep_embeddings', { run, embeddings }),
    /** The number of passages that are left to store: 0 when the document is ready.
     *  @throws {Lost} when there is nothing to store any more. */
    store: async (run: string, version: string, model: string | null): Promise<number> => {
      const left = await call('store_reading', { run, version, model })
      if (typeof left !== 'number') throw new Lost('store_reading')
      return left
    },
    fail: (run: string, version: string | null, problem: Problem, mayPass: boolean) =>
      call('fail_indexing', { run, version, problem, may_pass: mayPass }),
    release: (run: string, fetched = false) => call('release_run', { run, fetched }),
    /** Has documents found by the words of their fields, a few of them. Whether some may be left. */
    renewWords: async () => (await call('renew_waiting_words', {})) === true,
    callIndexer: () => call('call_indexer', {}),
  }
}
