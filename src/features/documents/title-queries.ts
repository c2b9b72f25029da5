import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { createBatchLoader } from '../../lib/batch-loader.ts'

/** A library's newest titles, for search by name. */
export const titlesQuery = (library: string) =>
  databaseQuery(keys.titles(library), () =>
    supabase
      .from('documents')
      .select('id, title, kind, mime_type')
      .eq('library_id', library)
      .is('deleted_at', null)
      .order('updated_at', { ascending: false })
      .limit(200),
  )

const Facets = z.object({
  authors: z.array(z.object({ name: z.string(), documents: z.int() })),
  years: z.array(z.object({ year: z.int(), documents: z.int() })),
  verified: z.boolean(),
  failed: z.boolean(),
  proposed: z.boolean(),
})

/** A library's authors (most frequent first) and years (latest first), and whether any document has a verification
 *  date, is unreadable, or has a change awaiting approval. */
export const facetsQuery = (library: string) =>
  databaseQuery(
    keys.facets(library),
    () => supabase.rpc('document_facets', { library }),
    (data) => Facets.parse(data),
  )

const FOUND = 20

/** Documents with matching titles, typos included, best first.
 *  @param collection Limits the search to a collection and its descendants. */
export const documentSearchQuery = (library: string, words: string, collection?: string) => ({
  ...databaseQuery(
    [...keys.titles(library), 'found', words, collection],
    () =>
      supabase.rpc('find_documents', {
        library,
        query: words,
        max_results: FOUND,
        ...(collection ? { collection } : {}),
      }),
    (data) => data.map(({ document_id, ...document }) => ({ id: document_id, ...document })),
  ),
  placeholderData: keepPreviousData,
})

type Linked = Awaited<ReturnType<typeof fetchLinked>>[number]

async function fetchLinked(ids: readonly string[]) {
  const { data } = await supabase
    .from('documents')
    .select('id, library_id, title, kind, mime_type, version:versions!documents_current_version_id_fkey(cover_path)')
    .in('id', ids)
    .is('deleted_at', null)
    .throwOnError()
  return data
}

const LINKED = 100

const loadLinked = createBatchLoader<Linked | null>(async (ids) => {
  const byId = new Map((await fetchLinked(ids)).map((document) => [document.id, document]))
  return new Map(ids.map((id) => [id, byId.get(id) ?? null]))
}, LINKED)

/** A linked document; null if it's deleted or hidden. Links are fetched in batches. */
export const linkedDocumentQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'linked'],
    queryFn: async () => {
      const linked = await loadLinked(document)
      return linked?.library_id === library ? linked : null
    },
  })

/** Titles of these documents, in order, without hidden ones. */
export const namedDocumentsQuery = (library: string, documents: readonly string[]) => ({
  ...databaseQuery(
    [...keys.titles(library), 'named', documents],
    () =>
      supabase
        .from('documents')
        .select('id, title')
        .eq('library_id', library)
        .is('deleted_at', null)
        .in('id', documents),
    (data) => data.toSorted((one, other) => documents.indexOf(one.id) - documents.indexOf(other.id)),
  ),
  enabled: documents.length > 0,
})
