import { mutationOptions } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'
import type { Filters } from './filters.ts'

type NewSearch = { library: string; name: string; query: string; filters: Filters }

export const saveSearch = mutationOptions({
  mutationFn: async ({ library, name, query, filters }: NewSearch) => {
    await supabase
      .from('saved_searches')
      .insert({ library_id: library, name, query, filters: { ...filters } })
      .throwOnError()
  },
})

export const forgetSearch = mutationOptions({
  mutationFn: async (search: string) => {
    await supabase.from('saved_searches').delete().eq('id', search).throwOnError()
  },
})
