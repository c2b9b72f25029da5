import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { Database } from '../../../supabase/functions/_shared/database.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { passageFilters } from './passage-filters.ts'
import { SearchFilter } from './search-filter.ts'

/** The most passages that a search shows at first. */
export const RESULTS = 40
const MOST_OF_A_DOCUMENT = 100
/** Milliseconds that a search waits for the model's name before it goes on by words alone. */
const MODEL_DEADLINE_MS = 3_000
export const LEXICAL = 'lexical-384-v1'

const Insights = z.object({ models: z.catch(z.record(z.string(), z.number()), {}), passages: z.catch(z.number(), 0) })
const Embedded = z.object({ model: z.string(), embedding: z.nullable(z.array(z.number())) })

/** The embedding model that most of the library's passages have. */
export const modelQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.library(library), 'model'],
    // A search waits for this answer, but works without it.
    retry: false,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('library_insights', { library })
        .abortSignal(AbortSignal.any([signal, AbortSignal.timeout(MODEL_DEADLINE_MS)]))
        .throwOnError()
      const { models } = Insights.parse(data)
      return Object.entries(models).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? LEXICAL
    },
  })

export type Search = {
  words: string
  filter: SearchFilter
  model: string
  /** Search for the words as they are spelt. */
  exact?: boolean | undefined
  /** All passages of this document, instead of the best of each. */
  document?: string
}

/** Passages by words and by meaning together. */
export const searchQuery = (library: string, { words, filter, model, exact = false, document }: Search) =>
  queryOptions({
    queryKey: [...keys.search(library), words, model, filter, exact, document],
    // The last answer stays on screen until the next is there, unless it is that of another library or of one document.
    placeholderData: (before: Hits | undefined, query) =>
      query && query.queryKey[1] === library && document === undefined ? before : undefined,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }): Promise<Hits> => {
      const meaning = model === LEXICAL ? {} : await embed(words, signal)
      const { data } = await supabase
        .rpc('search_passages', {
          library,
          query: words,
          max_results: document ? MOST_OF_A_DOCUMENT : RESULTS,
          filters: { ...passageFilters(filter), ...(document ? { document } : {}) },
          correct: !exact,
          ...meaning,
        })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
type Hits = Database['public']['Functions']['search_passages']['Returns']
export type Hit = Hits[number]

/** Milliseconds that a search waits for the next letter, and passages that it offers. */
const TYPING_PAUSE_MS = 150
const OFFERED = 4

/** The few best passages, by words alone, while somebody types. */
export const offeredPassagesQuery = (library: string, words: string) =>
  queryOptions({
    queryKey: [...keys.search(library), 'offered', words],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE_MS))
      signal.throwIfAborted()
      const { data } = await supabase
        .rpc('search_passages', { library, query: words, max_results: OFFERED })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** The best passages of all libraries of whoever is signed in. */
export const everywhereQuery = (words: string) =>
  queryOptions({
    queryKey: [...keys.searchEverywhere, words],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('search_everywhere', { query: words, max_results: RESULTS })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** The embedding of the words. If it cannot be computed, the search goes by words alone. */
async function embed(text: string, signal: AbortSignal): Promise<{ query_embedding?: string; model?: string }> {
  const { data, error } = await supabase.functions.invoke('embed', { body: { text }, signal })
  signal.throwIfAborted()
  const embedded = Embedded.safeParse(data)
  if (error || !embedded.success || !embedded.data.embedding) return {}
  return { model: embedded.data.model, query_embedding: JSON.stringify(embedded.data.embedding) }
}

/** The searches that this person has saved. */
export const savedSearchesQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.search(library), 'saved'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('saved_searches')
        .select('id, name, query, filters')
        .eq('library_id', library)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => ({ ...row, filters: SearchFilter.parse(row.filters) }))
    },
  })
export type SavedSearch = Awaited<ReturnType<NonNullable<ReturnType<typeof savedSearchesQuery>['queryFn']>>>[number]

/** How many new passages each saved search finds, by its id: those that are newer than this person's last look at it. */
export const searchNewsQuery = (library: string, searches: readonly SavedSearch[]) =>
  queryOptions({
    queryKey: [...keys.search(library), 'news', searches.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const filters = Object.fromEntries(searches.map((one) => [one.id, passageFilters(one.filters)]))
      const { data } = await supabase.rpc('saved_search_news', { library, filters }).abortSignal(signal).throwOnError()
      return new Map(data.map(({ search_id, passages }) => [search_id, passages]))
    },
    enabled: searches.length > 0,
  })
