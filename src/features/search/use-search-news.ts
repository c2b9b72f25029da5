import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { lookAtSearch } from './mutations.ts'
import { type SavedSearch, savedSearchesQuery, searchNewsQuery } from './queries.ts'

const NONE: readonly SavedSearch[] = []
const NO_NEWS: ReadonlyMap<string, number> = new Map()

/** This person's saved searches of a library, and how many new passages each of them finds. */
export function useSearchNews(library: string): {
  saved: readonly SavedSearch[]
  news: ReadonlyMap<string, number>
} {
  const { data: saved = NONE } = useQuery(savedSearchesQuery(library))
  const { data: news = NO_NEWS } = useQuery(searchNewsQuery(library, saved))
  return { saved, news }
}

/** Notes that this person sees what a saved search finds, as often as there is news.
 *  @param search The open saved search; undefined while its results are not on screen. */
export function useLookAtSearch(library: string, search: string | undefined, passages: number): void {
  const { mutate } = useMutation(lookAtSearch)
  useEffect(() => {
    if (search !== undefined && passages > 0) mutate({ library, search })
  }, [library, search, passages, mutate])
}
