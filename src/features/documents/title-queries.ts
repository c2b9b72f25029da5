import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { createBatchLoader } from '../../lib/batch-loader.ts'

/** The newest titles of a library, for finding a document by its name. */
export const titlesQuery = (library: string) =>
  queryOptions({
    queryKey: keys.titles(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('documents')
        .select('id, title, kind, mime_type')
        .eq('library_id', library)
        .is('deleted_at', null)
        .order('updated_at', { ascending: false })
        .limit(200)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

const Facets = z.object({
  authors: z.array(z.object({ name: z.string(), documents: z.int() })),
  years: z.array(z.object({ year: z.int(), documents: z.int() })),
  verified: z.boolean(),
  failed: z.boolean(),
  proposed: z.boolean(),
})

/** What a library's documents say of their authors (the most frequent first) and of their years (the latest first), and whether any
 *  is verified until some day, could not be read, or has a change that waits to be approved. */
export const facetsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.facets(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('document_facets', { library }).abortSignal(signal).throwOnError()
      return Facets.parse(data)
    },
  })

/** Documents that a search by title shows. */
const FOUND = 20

/** The documents whose titles match the words, also those that are misspelt, best first.
 *  @param collection Looks only there and in the collections inside it. */
export const foundDocumentsQuery = (library: string, words: string, collection?: string) =>
  queryOptions({
    queryKey: [...keys.titles(library), 'found', words, collection],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('find_documents', { library, query: words, max_results: FOUND, ...(collection ? { collection } : {}) })
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ document_id, ...document }) => ({ id: document_id, ...document }))
    },
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

/** Documents of one request for what links lead to. */
const LINKED = 100

const loadLinked = createBatchLoader<Linked | null>(async (ids) => {
  const found = new Map((await fetchLinked(ids)).map((document) => [document.id, document]))
  return new Map(ids.map((id) => [id, found.get(id) ?? null]))
}, LINKED)

/** What a link to a document shows of it; null when it is deleted or the person does not see it. The links of a text are fetched
 *  together. */
export const linkedDocumentQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'linked'],
    queryFn: async () => {
      const found = await loadLinked(document)
      return found?.library_id === library ? found : null
    },
  })

/** The titles of these documents, in their order; those that the person does not see are left out. */
export const namedDocumentsQuery = (library: string, documents: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.titles(library), 'named', documents],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('documents')
        .select('id, title')
        .eq('library_id', library)
        .is('deleted_at', null)
        .in('id', documents)
        .abortSignal(signal)
        .throwOnError()
      return data.toSorted((one, other) => documents.indexOf(one.id) - documents.indexOf(other.id))
    },
    enabled: documents.length > 0,
  })
