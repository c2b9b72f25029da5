import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { DocumentFilter } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { passageFilters } from './filters.ts'

const RESULTS = 40
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

/** Passages by words and by similarity together. */
export const searchQuery = (library: string, words: string, model: string, filters: DocumentFilter) =>
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

/** The embedding of the words. If it cannot be computed, the search goes by words alone. */
async function embed(text: string): Promise<{ query_embedding?: string; model?: string }> {
  const { data, error } = await supabase.functions.invoke('embed', { body: { text } })
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
      return data.map((row) => ({ ...row, filters: DocumentFilter.parse(row.filters) }))
    },
  })
export type SavedSearch = Awaited<ReturnType<NonNullable<ReturnType<typeof savedSearchesQuery>['queryFn']>>>[number]
