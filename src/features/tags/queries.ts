import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

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
export type Tag = Awaited<ReturnType<NonNullable<ReturnType<typeof tagsQuery>['queryFn']>>>[number]
