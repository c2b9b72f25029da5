import { queryOptions } from '@tanstack/react-query'
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

export const insightsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.insights(library),
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('library_insights', { library }).abortSignal(signal).throwOnError()
      return z.parse(Insights, data)
    },
  })

export const mostReadQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.insights(library), 'read'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await supabase.rpc('most_read', { library }).abortSignal(signal).throwOnError()).data,
  })
