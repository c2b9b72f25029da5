import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'

export const membersQuery = (library: string) =>
  queryOptions({
    queryKey: keys.members(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('members')
        .select('user_id, role, joined_at, profile:profiles!inner(display_name, avatar_path)')
        .eq('library_id', library)
        .order('joined_at')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Member = Awaited<ReturnType<NonNullable<ReturnType<typeof membersQuery>['queryFn']>>>[number]
