import type { SearchFilter } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

type NewSearch = { library: string; name: string; query: string; filters: SearchFilter }

export const saveSearch = defineMutation({
  mutationFn: ({ library, name, query, filters }: NewSearch) =>
    supabase
      .from('saved_searches')
      .insert({ library_id: library, name, query, filters: { ...filters } })
      .throwOnError(),
  invalidates: ({ library }) => [[...keys.search(library), 'saved']],
})

export const deleteSavedSearch = defineMutation({
  mutationFn: ({ search }: { library: string; search: string }) =>
    supabase.from('saved_searches').delete().eq('id', search).throwOnError(),
  invalidates: ({ library }) => [[...keys.search(library), 'saved']],
})

export const lookAtSearch = defineMutation({
  mutationFn: ({ search }: { library: string; search: string }) =>
    supabase.rpc('mark_search_seen', { search }).throwOnError(),
  invalidates: ({ library }) => [[...keys.search(library), 'news']],
})
