import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { IndexingState } from '../../domain/indexing-states.ts'
import { indexingProgressQuery } from './queries.ts'

export const isIndexing = ({ state }: { state: IndexingState }): boolean => state !== 'ready' && state !== 'failed'

/** Fetches what is on screen again when the library's progress has changed: messages of the channel may be lost.
 *  @param isAffected whether the screen shows anything that indexing changes. */
export function useIndexingRefresh(library: string, isAffected: boolean, queryKey: QueryKey): void {
  const queryClient = useQueryClient()
  const { data } = useQuery({ ...indexingProgressQuery(library), enabled: isAffected })
  const progress = data && `${data.done} ${data.failed} ${data.running}`
  const seen = useRef(progress)
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== progress) void queryClient.invalidateQueries({ queryKey })
    seen.current = progress
  }, [progress, queryClient, queryKey])
}
