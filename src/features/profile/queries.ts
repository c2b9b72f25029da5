import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const profileQuery = (person: string) =>
  queryOptions({
    queryKey: keys.profile(person),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('profiles')
        .select('id, display_name, avatar_path')
        .eq('id', person)
        .abortSignal(signal)
        .single()
        .throwOnError()
      return data
    },
  })
