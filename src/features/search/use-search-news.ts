import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { lookAtSearch } from './mutations.ts'
import { type SavedSearch, savedSearchesQuery, searchNewsQuery } from './queries.ts'

const NONE: readonly SavedSearch[] = []
const NO_NEWS: ReadonlyMap<string, number> = new Map()

/** The person's saved searches with their numbers of new passages. */
export function useSearchNews(library: string): {
  saved: readonly SavedSearch[]
  news: ReadonlyMap<string, number>
} {
  const { data: saved = NONE } = useQuery(savedSearchesQuery(library))
  const { data: news = NO_NEWS } = useQuery(searchNewsQuery(library, saved))
  return { saved, news }
}

/** Marks a saved search's results as seen whenever there are new ones.
 *  @param search The open saved search; undefined while its results aren't visible. */
export function useLookAtSearch(library: string, search: string | undefined, passages: number): void {
  const { mutate } = useMutation(lookAtSearch)
  useEffect(() => {
    if (search !== undefined && passages > 0) mutate({ library, search })
  }, [library, search, passages, mutate])
}
