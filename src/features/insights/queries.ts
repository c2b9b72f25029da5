import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
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

export const insightsQuery = (library: string) => ({
  ...databaseQuery(
    keys.insights(library),
    () => supabase.rpc('library_insights', { library }),
    (data) => z.parse(Insights, data),
  ),
  staleTime: 60_000,
})

export const mostReadQuery = (library: string) => ({
  ...databaseQuery([...keys.insights(library), 'read'], () => supabase.rpc('most_read', { library })),
  staleTime: 60_000,
})
