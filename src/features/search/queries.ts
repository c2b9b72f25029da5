import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'
import { Filters, passageFilters } from './filters.ts'

const RESULTS = 40
export const LEXICAL = 'lexical-384-v1'

const Insights = z.object({ models: z.catch(z.record(z.string(), z.number()), {}), passages: z.catch(z.number(), 0) })
const Embedded = z.object({ model: z.string(), embedding: z.nullable(z.array(z.number())) })

/** By which model the library's passages can be compared: the one that most of them have. */
export const modelQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.library(library), 'model'],
    // Who searches waits for it, and can do without.
    retry: false,
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('library_insights', { library }).abortSignal(signal).throwOnError()
      const { models } = Insights.parse(data)
      return Object.entries(models).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? LEXICAL
    },
  })

/** Passages by words and likeness together. */
export const searchQuery = (library: string, words: string, model: string, filters: Filters) =>
  queryOptions({
    queryKey: [...keys.search(library), words, model, filters],
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const meaning = model === LEXICAL ? {} : await embed(words)
      const { data } = await supabase
        .rpc('search_passages', {
          library,
          query: words,
          max_results: RESULTS,
          filters: passageFilters(filters),
          ...meaning,
        })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Hit = Awaited<ReturnType<NonNullable<ReturnType<typeof searchQuery>['queryFn']>>>[number]

/** The words as a vector. Where none can be had, the search goes by words alone, which is better than not at all. */
async function embed(text: string): Promise<{ query_embedding?: string; model?: string }> {
  const { data, error } = await supabase.functions.invoke('embed', { body: { text } })
  const embedded = Embedded.safeParse(data)
  if (error || !embedded.success || !embedded.data.embedding) return {}
  return { model: embedded.data.model, query_embedding: JSON.stringify(embedded.data.embedding) }
}

/** Searches that this person wants to ask again. */
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
      return data.map((row) => ({ ...row, filters: Filters.parse(row.filters) }))
    },
  })
export type SavedSearch = Awaited<ReturnType<NonNullable<ReturnType<typeof savedSearchesQuery>['queryFn']>>>[number]
