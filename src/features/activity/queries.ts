import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { refetchAfter } from '../../domain/failure.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { filterParameters } from './areas.ts'
import type { ActivityFilter } from './filter.ts'

const PAGE = 50

export const unreadQuery = queryOptions({
  queryKey: keys.unread,
  staleTime: 60_000,
  queryFn: async ({ signal }) => (await supabase.rpc('unread_activity').abortSignal(signal).throwOnError()).data,
  refetchInterval: ({ state }) => refetchAfter(state.error, 120_000),
})

export const activityQuery = (library: string, filter: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.activity(library), filter],
    initialPageParam: Number.MAX_SAFE_INTEGER,
    queryFn: async ({ pageParam: before, signal }) => {
      let request = supabase
        .from('activity')
        .select('id, verb, subject, document_id, actor_id, created_at, actor:profiles(display_name, avatar_path)')
        .eq('library_id', library)
        .lt('id', before)
      const { person, kinds, since, until } = filterParameters(filter)
      if (person) request = request.eq('actor_id', person)
      if (kinds) request = request.or(kinds.map((kind) => `verb.like.${kind}.*`).join(','))
      if (since) request = request.gte('created_at', since)
      if (until) request = request.lt('created_at', until)
      const { data } = await request.order('id', { ascending: false }).limit(PAGE).abortSignal(signal).throwOnError()
      return data
    },
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1)?.id : undefined),
  })
export type Happening = DataOf<typeof activityQuery>[number]

/** The newest entry that the person has seen; 0 before the first visit. */
export const seenQuery = (library: string) => ({
  ...databaseQuery(
    [...keys.activity(library), 'seen'],
    () => supabase.from('activity_marks').select('seen').eq('library_id', library),
    ([row]) => row?.seen ?? 0,
  ),
  // Fetched once per visit, so that new entries stay marked until the person leaves.
  staleTime: 'static' as const,
  gcTime: 0,
})
