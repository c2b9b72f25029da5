import { useEffect, useEffectEvent, useRef } from 'react'
import { requestIndexingInBackground } from '../../domain/request-indexing.ts'
import { isIndexing, StalledIndexing } from '../../domain/stalled-indexing.ts'
import type { Card } from './queries.ts'

const CHECK_INTERVAL_MS = 5_000

/** Keeps the documents on screen moving: the first editor who has one on screen requests its indexing again when it was never
 *  requested or broke off.
 *  @param onPoll Fetches the states again, because nothing was heard of one for a while. */
export function useResumeStalledIndexing(
  documents: readonly Pick<Card, 'id' | 'kind' | 'state' | 'progress'>[],
  canEdit: boolean,
  onPoll: () => void,
): void {
  const indexing = useRef(new StalledIndexing())
  const check = useEffectEvent(() => {
    const { stalled, shouldPoll } = indexing.current.check(documents, performance.now())
    if (shouldPoll) onPoll()
    if (canEdit) for (const document of stalled) requestIndexingInBackground(document)
  })
  const isAnyIndexing = documents.some(isIndexing)
  useEffect(() => {
    if (!isAnyIndexing) return
    check()
    const timer = setInterval(check, CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isAnyIndexing])
}
