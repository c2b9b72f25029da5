import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

const Counts = z.record(z.string(), z.number())
const Insights = z.object({
  documents: z.number(),
  passages: z.number(),
  members: z.number(),
  bytes: z.number(),
  pages: z.number(),
  kinds: Counts,
  states: Counts,
  models: Counts,
  weeks: z.array(z.object({ week: z.string(), documents: z.number() })),
})

/** A library in numbers, counted with the caller's own rights. */
export const insightsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.insights(library),
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('library_insights', { library }).abortSignal(signal).throwOnError()
      return z.parse(Insights, data)
    },
  })

/** The documents that most people have opened. */
export const mostReadQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.insights(library), 'read'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await supabase.rpc('most_read', { library }).abortSignal(signal).throwOnError()).data,
  })

const Health = z.object({
  passages: z.number(),
  words: z.number(),
  by_model: Counts,
  by_language: Counts,
})

/** The state of a library's search index; null for guests, who are told no figures of the whole library. */
export const indexHealthQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.search(library), 'health'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('index_health', { library }).abortSignal(signal).throwOnError()
      return z.parse(z.nullable(Health), data)
    },
  })

/** Words of a vocabulary that are listed. */
const LISTED = 200

/** The words of a library's passages that begin like this, the most frequent first. */
export const vocabularyQuery = (library: string, prefix: string) =>
  queryOptions({
    queryKey: [...keys.search(library), 'words', prefix],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('library_words', { library, prefix, max_results: LISTED })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
