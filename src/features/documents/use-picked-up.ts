import { useEffect, useEffectEvent, useRef } from 'react'
import { askToReadLater } from '../../lib/ask-to-read.ts'
import type { Card } from './queries.ts'
import { isBeingRead, Waiting } from './waiting.ts'

const EVERY_MS = 5_000

/** Keeps what is on screen from standing still: a document whose reading was never asked for, or broke off, is taken up by the
 *  first editor who has it before them; one that nothing was heard of is asked after.
 *  @param onSilent Asks anew how the documents stand. */
export function usePickedUp(
  documents: readonly Pick<Card, 'id' | 'kind' | 'state' | 'progress'>[],
  canEdit: boolean,
  onSilent: () => void,
): void {
  const waiting = useRef(new Waiting())
  const look = useEffectEvent(() => {
    const { forgotten, silent } = waiting.current.look(documents, performance.now())
    if (silent) onSilent()
    if (canEdit) for (const document of forgotten) askToReadLater(document)
  })
  const anybody = documents.some(isBeingRead)
  useEffect(() => {
    if (!anybody) return
    look()
    const timer = setInterval(look, EVERY_MS)
    return () => clearInterval(timer)
  }, [anybody])
}
