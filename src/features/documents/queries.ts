import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Json } from '../../../supabase/functions/_shared/database.ts'
import { savedFilter } from '../../domain/document-filter.ts'
import { refetchAfter } from '../../domain/failure.ts'
import { fieldSort } from '../../domain/field-sort.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { CARD, cardsById, FIRST, PAGE, type ShelfPage, WITH_VALUES } from './card.ts'
import { after, type Cursor, orderOf, type Shelf } from './shelf/shelf-search.ts'

async function fetchShelf(
  library: string,
  { collection, sort, ...filter }: Shelf,
  cursor: Cursor | null,
  signal: AbortSignal,
): Promise<ShelfPage> {
  const narrowed = savedFilter(filter)
  const byField = collection === undefined ? undefined : fieldSort(sort)
  if ('saved' in narrowed || byField) {
    const filters = { ...narrowed, ...(collection ? { place: collection } : {}) }
    return await fetchListed(library, filters, sort, byField, cursor, signal)
  }
  const order = orderOf(sort)
  const size = cursor ? PAGE : FIRST
  let request = supabase
    .from('documents')
    // Count only on the first page: it reads every row.
    .select(collection ? WITH_VALUES : (CARD as typeof WITH_VALUES), cursor ? {} : { count: 'exact' })
    .eq('library_id', library)
    .is('deleted_at', null)
  if (collection) request = request.eq('collection_id', collection)
  if (cursor) request = request.or(after(order, cursor))
  const { data, count } = await request
    .order(order.column, { ascending: order.ascending })
    .order('id')
    .limit(size)
    .abortSignal(signal)
    .throwOnError()
  const last = data.length === size ? data.at(-1) : undefined
  return {
    documents: data.map(({ values = [], ...card }) => ({ ...card, values })),
    total: count,
    next: last && { value: last[order.column], id: last.id },
  }
}

/** A page of a shelf filtered or ordered by fields: the database lists the documents first. */
async function fetchListed(
  library: string,
  filters: Record<string, Json>,
  sort: Shelf['sort'],
  byField: ReturnType<typeof fieldSort>,
  cursor: Cursor | null,
  signal: AbortSignal,
): Promise<ShelfPage> {
  const order = orderOf(sort)
  const size = cursor ? PAGE : FIRST
  const { data: listed } = await supabase
    .rpc('shelf_page', {
      library,
      filters,
      ...(byField ? { field: byField.field } : {}),
      sort: order.column,
      descending: byField ? byField.descending : !order.ascending,
      ...(cursor ? { after: cursor } : {}),
      max_results: size,
    })
    .abortSignal(signal)
    .throwOnError()
  const ids = listed.map(({ document_id }) => document_id)
  const batches = Array.from({ length: Math.ceil(ids.length / FIRST) }, (_, n) => ids.slice(n * FIRST, (n + 1) * FIRST))
  const answers = await Promise.all(
    batches.map((batch) => cardsById(supabase, batch).abortSignal(signal).throwOnError()),
  )
  const cards = new Map(answers.flatMap(({ data }) => data).map((card) => [card.id, card]))
  const last = listed.length === size ? listed.at(-1) : undefined
  return {
    documents: ids.flatMap((id) => cards.get(id) ?? []),
    total: cursor ? null : (listed[0]?.total ?? 0),
    next: last && (last.place as Cursor),
  }
}

/** Milliseconds between progress checks: channel messages may be lost. */
const PROGRESS_INTERVAL = 5_000

/** A library's reading progress, and any problem that blocks it. */
export const indexingProgressQuery = (library: string) =>
  queryOptions({
    queryKey: keys.indexing(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('indexing_progress', { library }).abortSignal(signal).single().throwOnError()
      return data
    },
    refetchInterval: ({ state: { data, error } }) =>
      refetchAfter(error, data && data.waiting + data.running > 0 ? PROGRESS_INTERVAL : false),
  })

/** A shelf, paged by cursor: no duplicates or gaps when documents are added, and late pages cost no more. */
export const shelfQuery = (library: string, search: Shelf & { view?: unknown; group?: unknown }) => {
  const { view: _, group: __, ...shelf } = search
  return infiniteQueryOptions({
    queryKey: [...keys.documents(library), shelf],
    initialPageParam: null as Cursor | null,
    queryFn: ({ signal, pageParam }) => fetchShelf(library, shelf, pageParam, signal),
    getNextPageParam: ({ next }) => next,
  })
}

export const trashQuery = (library: string) =>
  databaseQuery(keys.trash(library), () =>
    supabase
      .from('documents')
      .select('id, title, kind, mime_type, size_bytes, page_count, width, height, deleted_at, gone_at')
      .eq('library_id', library)
      .not('deleted_at', 'is', null)
      .order('deleted_at', { ascending: false })
      .limit(500),
  )
export type Trashed = DataOf<typeof trashQuery>[number]
