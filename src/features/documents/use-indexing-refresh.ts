import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Enums } from '../../../supabase/functions/_shared/database.ts'
import { indexingProgressQuery } from './queries.ts'

export const isIndexing = ({ state }: { state: Enums<'indexing_state'> }): boolean =>
  state !== 'ready' && state !== 'failed'

/** Refetches visible data when the library's progress changes, because channel messages may be lost.
 *  @param isAffected Whether indexing changes what is shown.
 *  @param pace Minimum milliseconds between refetches. */
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
