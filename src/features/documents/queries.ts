import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { dayRange } from '../../domain/day-range.ts'
import { periodStart } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { createBatchLoader } from '../../lib/batch-loader.ts'
import { after, type Cursor, orderOf, type Shelf } from './shelf/shelf-search.ts'

/** Documents of the first page, for which a person waits, and of the pages that are loaded while scrolling. */
const FIRST = 100
const PAGE = 500

const CARD =
  'id, title, kind, url, summary, excerpt, mime_type, size_bytes, page_count, width, height, state, state_message, progress, collection_id, created_at, updated_at, written_by:author, author:profiles!documents_created_by_fkey(display_name), version:versions!documents_current_version_id_fkey(id, cover_path), tags:document_tags(tag:tags(id, name, color))'

async function fetchShelf(library: string, shelf: Shelf, cursor: Cursor | null, signal: AbortSignal) {
  const { collection, tag, kind, person, since, author, dated, sort } = shelf
  const days = dated === undefined ? undefined : dayRange(dated)
  const order = orderOf(sort)
  const size = cursor ? PAGE : FIRST
  let request = supabase
    .from('documents')
    // `wanted` joins the tags a second time: a filter on the first join would hide a card's other tags.
    // Counted once, with the first page: the count reads every row that the filter leaves.
    .select(`${CARD}, wanted:document_tags(tag_id)`, cursor ? {} : { count: 'exact' })
    .eq('library_id', library)
    .is('deleted_at', null)
  if (collection) request = request.eq('collection_id', collection)
  if (kind) request = request.eq('kind', kind)
  if (person) request = request.eq('created_by', person)
  if (since) request = request.gte('created_at', periodStart(since))
  if (author) request = request.ilike('author', `%${author.replaceAll(/[\\%_]/g, '\\$&')}%`)
  if (days?.from) request = request.gte('dated', days.from)
  if (days?.to) request = request.lte('dated', days.to)
  if (tag) request = request.eq('wanted.tag_id', tag).not('wanted', 'is', null)
  if (cursor) request = request.or(after(order, cursor))
  const { data, count } = await request
    .order(order.column, { ascending: order.ascending })
    .order('id')
    .limit(size)
    .abortSignal(signal)
    .throwOnError()
  const last = data.length === size ? data.at(-1) : undefined
  return { documents: data, total: count, next: last && { value: last[order.column], id: last.id } }
}

/** Milliseconds between two looks at the progress of indexing while there is any: messages of the channel may be lost. */
const PROGRESS_INTERVAL = 5_000

/** How many documents of a library have been read, and what keeps the others from being read, if something does. */
export const indexingProgressQuery = (library: string) =>
  queryOptions({
    queryKey: keys.indexing(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('indexing_progress', { library }).abortSignal(signal).single().throwOnError()
      return data
    },
    refetchInterval: ({ state: { data } }) => (data && data.waiting + data.running > 0 ? PROGRESS_INTERVAL : false),
  })

export type ShelfPage = Awaited<ReturnType<typeof fetchShelf>>
/** A document as the shelf shows it. */
export type Card = ShelfPage['documents'][number]

/** One shelf of a library, a few hundred documents at a time. Each page begins after the last document of the one before, so
 *  none is shown twice or skipped when others are added meanwhile, and a late page costs no more than the first. */
export const shelfQuery = (library: string, { collection, tag, kind, person, since, author, dated, sort }: Shelf) => {
  const shelf = { collection, tag, kind, person, since, author, dated, sort }
  return infiniteQueryOptions({
    queryKey: [...keys.documents(library), shelf],
    initialPageParam: null as Cursor | null,
    queryFn: ({ signal, pageParam }) => fetchShelf(library, shelf, pageParam, signal),
    getNextPageParam: ({ next }) => next,
  })
}

/** The documents in the trash, newest first. Editors see them; for readers it is empty. */
export const trashQuery = (library: string) =>
  queryOptions({
    queryKey: keys.trash(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('documents')
        .select('id, title, kind, mime_type, size_bytes, page_count, width, height, deleted_at')
        .eq('library_id', library)
        .not('deleted_at', 'is', null)
        .order('deleted_at', { ascending: false })
        .limit(500)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Trashed = Awaited<ReturnType<NonNullable<ReturnType<typeof trashQuery>['queryFn']>>>[number]

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
})

/** What a library's documents say of their authors (the most frequent first) and of their years (the latest first). */
export const facetsQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.titles(library), 'facets'],
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
