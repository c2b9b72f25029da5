import { useQueries } from '@tanstack/react-query'
import { type Hit, type Search, searchQuery } from './queries.ts'

/** A document of which all passages are shown: they are fetched, or that failed. */
export type Expansion = { passages: readonly Hit[] | undefined; error: unknown; retry: () => void }

const NONE: readonly string[] = []

/** All passages of the documents that a search shows whole. */
export function useExpandedDocuments(
  library: string,
  search: Search,
  documents: readonly string[] = NONE,
): ReadonlyMap<string, Expansion> {
  const queries = documents.map((document) => searchQuery(library, { ...search, document }))
  return useQueries({
    queries,
    combine: (results) =>
      new Map(
        results.map(({ data, error, refetch }, index) => [
          documents[index] ?? '',
          { passages: data?.hits, error, retry: () => void refetch() },
        ]),
      ),
  })
}
