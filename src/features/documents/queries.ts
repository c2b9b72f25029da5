import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { dayRange } from '../../domain/day-range.ts'
import { periodStart } from '../../domain/document-filter.ts'
import { fieldSort } from '../../domain/field-sort.ts'
import { keys } from '../../domain/keys.ts'
import { verifiedRange } from '../../domain/verification.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { CARD, FIRST, PAGE, type ShelfPage, WITH_VALUES } from './card.ts'
import { after, type Cursor, orderOf, type Shelf } from './shelf/shelf-search.ts'

const fetchShelf = (library: string, shelf: Shelf, cursor: Cursor | null, signal: AbortSignal): Promise<ShelfPage> =>
  shelf.fields || (shelf.collection && fieldSort(shelf.sort))
    ? import('./shelf-by-field.ts').then((it) => it.fetchShelfByField(library, shelf, cursor, signal))
    : fetchShelfByFacts(library, shelf, cursor, signal)

async function fetchShelfByFacts(
  library: string,
  { collection, tag, kind, person, since, author, dated, verified, state, sort }: Shelf,
  cursor: Cursor | null,
  signal: AbortSignal,
): Promise<ShelfPage> {
  const days = dated === undefined ? undefined : dayRange(dated)
  const { from, to } = verifiedRange(verified)
  const order = orderOf(sort)
  const size = cursor ? PAGE : FIRST
  let request = supabase
    .from('documents')
    // `wanted` joins the tags a second time: a filter on the first join would hide a card's other tags.
    // Counted once, with the first page: the count reads every row that the filter leaves.
    .select(
      `${(collection ? WITH_VALUES : CARD) as typeof WITH_VALUES}, wanted:document_tags(tag_id)`,
      cursor ? {} : { count: 'exact' },
    )
    .eq('library_id', library)
    .is('deleted_at', null)
  if (collection) request = request.eq('collection_id', collection)
  if (kind) request = request.eq('kind', kind)
  if (person) request = request.eq('created_by', person)
  if (since) request = request.gte('created_at', periodStart(since))
  if (author) request = request.ilike('author', `%${author.replaceAll(/[\\%_]/g, '\\$&')}%`)
  if (days?.from) request = request.gte('dated', days.from)
  if (days?.to) request = request.lte('dated', days.to)
  if (from) request = request.gte('verified_until', from)
  if (to) request = request.lte('verified_until', to)
  if (state === 'failed') request = request.eq('state', 'failed')
  if (state === 'proposed') request = request.not('proposed_version_id', 'is', null)
  if (tag) request = request.eq('wanted.tag_id', tag).not('wanted', 'is', null)
  if (cursor) request = request.or(after(order, cursor))
  const { data, count } = await request
    .order(order.column, { ascending: order.ascending })
    .order('id')
    .limit(size)
    .abortSignal(signal)
    .throwOnError()
  const last = data.length === size ? data.at(-1) : undefined
  return {
    documents: data.map(({ wanted, values = [], ...card }) => ({ ...card, values })),
    total: count,
    next: last && { value: last[order.column], id: last.id },
  }
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

/** One shelf of a library, a few hundred documents at a time. Each page begins after the last document of the one before, so
 *  none is shown twice or skipped when others are added meanwhile, and a late page costs no more than the first. */
export const shelfQuery = (
  library: string,
  { collection, tag, kind, person, since, author, dated, verified, state, fields, sort }: Shelf,
) => {
  const shelf = { collection, tag, kind, person, since, author, dated, verified, state, fields, sort }
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
        .select('id, title, kind, mime_type, size_bytes, page_count, width, height, deleted_at, gone_at')
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
