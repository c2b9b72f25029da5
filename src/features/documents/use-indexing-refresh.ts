import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { IndexingState } from '../../domain/indexing-states.ts'
import { indexingProgressQuery } from './queries.ts'

export const isIndexing = ({ state }: { state: IndexingState }): boolean => state !== 'ready' && state !== 'failed'

/** Fetches what is on screen again when the library's progress has changed: messages of the channel may be lost.
 *  @param isAffected whether the screen shows anything that indexing changes.
 *  @param pace Milliseconds between two times, as long as the reading continues. */
export function useIndexingRefresh(library: string, isAffected: boolean, queryKey: QueryKey, pace = 0): void {
  const queryClient = useQueryClient()
  const { data } = useQuery({ ...indexingProgressQuery(library), enabled: isAffected })
  const progress = data && `${data.done} ${data.failed} ${data.running}`
  const isOver = data !== undefined && data.waiting + data.running === 0
  const seen = useRef({ progress, at: 0 })
  useEffect(() => {
    const { progress: before, at } = seen.current
    if (before === progress) return
    const now = Date.now()
    if (before === undefined) seen.current = { progress, at: now }
    else if (isOver || now - at >= pace) {
      seen.current = { progress, at: now }
      void queryClient.invalidateQueries({ queryKey })
    }
  }, [progress, isOver, pace, queryClient, queryKey])
}
