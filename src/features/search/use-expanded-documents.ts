import { useQueries } from '@tanstack/react-query'
import { type Hit, type Search, searchQuery } from './queries.ts'

/** The state of a document with all its passages shown. */
export type Expansion = { passages: readonly Hit[] | undefined; error: unknown; retry: () => void }

const NONE: readonly string[] = []

/** Fetches all passages of expanded documents. */
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
