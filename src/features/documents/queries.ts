import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'
import { orderOf, type Shelf } from './filter.ts'

const PAGE = 60

const CARD =
  'id, title, kind, summary, mime_type, size_bytes, page_count, state, state_message, progress, collection_id, created_at, updated_at, author:profiles!documents_created_by_fkey(display_name), tags:document_tags(tag:tags(id, name, color))'

async function fetchShelf(library: string, { collection, tag, kind, sort }: Shelf, from: number, signal: AbortSignal) {
  const { column, ascending } = orderOf(sort)
  let wish = supabase
    .from('documents')
    // `wanted` is a second look at the tags: filtering the first would hide a card's other tags.
    .select(`${CARD}, wanted:document_tags(tag_id)`, { count: 'exact' })
    .eq('library_id', library)
    .is('deleted_at', null)
  if (collection) wish = wish.eq('collection_id', collection)
  if (kind) wish = wish.eq('kind', kind)
  if (tag) wish = wish.eq('wanted.tag_id', tag).not('wanted', 'is', null)
  const { data, count } = await wish
    .order(column, { ascending })
    .order('id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .throwOnError()
  return { documents: data, total: count ?? data.length, next: from + PAGE }
}

export type ShelfPage = Awaited<ReturnType<typeof fetchShelf>>
/** A document as the shelf shows it. */
export type Card = ShelfPage['documents'][number]

/** One shelf of a library, sixty documents at a time. */
export const shelfQuery = (library: string, { collection, tag, kind, sort }: Shelf) =>
  infiniteQueryOptions({
    queryKey: [...keys.documents(library), { collection, tag, kind, sort }],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) => fetchShelf(library, { collection, tag, kind, sort }, pageParam, signal),
    getNextPageParam: ({ next, total }) => (next < total ? next : undefined),
  })

export const collectionsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.collections(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('collections')
        .select('id, name, parent_id')
        .eq('library_id', library)
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

export const tagsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.tags(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('tags')
        .select('id, name, color')
        .eq('library_id', library)
        .order('name')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

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
