import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { Database } from '../../../supabase/functions/_shared/database.ts'
import type { Hit, SearchAnswer } from '../../../supabase/functions/_shared/hit.ts'
import { SearchFilter, savedFilter, timeZone } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export type { Hit } from '../../../supabase/functions/_shared/hit.ts'

export const RESULTS = 40
const MAX_PASSAGES_PER_DOCUMENT = 100
/** Milliseconds before a search by meaning falls back to words only. */
const MEANING_DEADLINE_MS = 5_000

export type Search = {
  words: string
  filter: SearchFilter
  /** Whether the library has embeddings. */
  hasMeaning: boolean
  /** Disables corrections. */
  exact?: boolean | undefined
  /** All passages of this document, instead of the best of each. */
  document?: string
}

/** Searches by words, and by meaning if available, in a single request. */
export const searchQuery = (library: string, { words, filter, hasMeaning, exact = false, document }: Search) =>
  queryOptions({
    queryKey: [...keys.search(library), words, hasMeaning, filter, exact, document],
    // Keep previous results on screen, unless they are of another library or a single document.
    placeholderData: (before: SearchAnswer | undefined, query) =>
      query && query.queryKey[1] === library && document === undefined ? before : undefined,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }): Promise<SearchAnswer> => {
      const search = {
        library,
        query: words,
        max_results: document ? MAX_PASSAGES_PER_DOCUMENT : RESULTS,
        filters: { ...savedFilter(filter), ...(document ? { document } : {}) },
        correct: !exact,
      }
      return (
        (hasMeaning && (await searchByMeaning(search, signal))) || {
          hits: await searchByWords(search, signal),
          by_meaning: false,
        }
      )
    },
  })

/** @returns undefined if the function doesn't respond with hits. */
async function searchByMeaning(body: SearchArguments, signal: AbortSignal): Promise<SearchAnswer | undefined> {
  const { data } = await supabase.functions.invoke('search', {
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(MEANING_DEADLINE_MS)]),
  })
  signal.throwIfAborted()
  return Answer.safeParse(data).data
}
const Answer = z.object({ hits: z.array(z.custom<Hit>()), by_meaning: z.boolean() })

async function searchByWords(search: SearchArguments, signal: AbortSignal): Promise<Hit[]> {
  const { data } = await supabase
    .rpc('search_passages', search)
    .abortSignal(signal)
    .overrideTypes<Hit[], { merge: false }>()
    .throwOnError()
  return data
}
type SearchArguments = Database['public']['Functions']['search_passages']['Args']

/** Milliseconds to wait for the next letter, and passages to offer. */
const TYPING_PAUSE_MS = 150
const OFFERED = 4

/** A few passages by words alone, while typing. */
export const offeredPassagesQuery = (library: string, words: string) =>
  queryOptions({
    queryKey: [...keys.search(library), 'offered', words],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE_MS))
      signal.throwIfAborted()
      return await searchByWords({ library, query: words, max_results: OFFERED }, signal)
    },
  })

export const everywhereQuery = (words: string) =>
  queryOptions({
    queryKey: [...keys.searchEverywhere, words],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('search_everywhere', { query: words, max_results: RESULTS })
        .abortSignal(signal)
        .overrideTypes<(Hit & { library_id: string; library_name: string })[], { merge: false }>()
        .throwOnError()
      return data
    },
  })

export const savedSearchesQuery = (library: string) =>
  databaseQuery(
    [...keys.search(library), 'saved'],
    () =>
      supabase.from('saved_searches').select('id, name, query, filters').eq('library_id', library).order('created_at'),
    (data) => data.map((row) => ({ ...row, filters: SearchFilter.parse(row.filters) })),
  )
export type SavedSearch = DataOf<typeof savedSearchesQuery>[number]

/** New passages per saved search since the person's last visit. */
export const searchNewsQuery = (library: string, searches: readonly SavedSearch[]) => ({
  ...databaseQuery(
    [...keys.search(library), 'news', searches.map(({ id }) => id)],
    () => supabase.rpc('saved_search_news', { library, zone: timeZone() }),
    (data) => new Map(data.map(({ search_id, passages }) => [search_id, passages])),
  ),
  enabled: searches.length > 0,
})
