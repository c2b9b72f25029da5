import type { IndexingState } from './indexing-states.ts'
import type { IndexableDocument } from './request-indexing.ts'

type Watched = IndexableDocument & { state: IndexingState; progress: number }

/** Milliseconds without progress after which indexing counts as stalled. A document that stays queued was never requested: the
 *  network failed at that moment. One that broke off may be requested again after two minutes (begin_ingestion). */
const STALLED_AFTER = { queued: 20_000, extracting: 130_000, embedding: 130_000 } as const
/** Milliseconds without news after which the state is fetched, in case a message was lost; doubled before each further time. */
const FIRST_POLL_AFTER = 10_000

type Progress = {
  state: IndexingState
  progress: number
  since: number
  pollAt: number
  interval: number
  requests: number
}

export const isIndexing = ({ state }: { state: IndexingState }): boolean => state in STALLED_AFTER

/** Remembers when each document last made progress. The time until it counts as stalled doubles with each request. */
export class StalledIndexing {
  #known = new Map<string, Progress>()

  /** @param now Milliseconds of any clock that only goes forward.
   *  @returns the documents whose indexing has to be requested again, and whether any state should be fetched. */
  check(documents: readonly Watched[], now: number): { stalled: Watched[]; shouldPoll: boolean } {
    const before = this.#known
    this.#known = new Map()
    const stalled: Watched[] = []
    let shouldPoll = false
    for (const document of documents) {
      const { id, state, progress } = document
      if (state !== 'queued' && state !== 'extracting' && state !== 'embedding') continue
      const last = before.get(id)
      const moved = last?.state !== state || last.progress !== progress
      const known =
        last && !moved
          ? last
          : {
              state,
              progress,
              since: now,
              pollAt: now + FIRST_POLL_AFTER,
              interval: FIRST_POLL_AFTER,
              requests: last?.requests ?? 0,
            }
      this.#known.set(id, known)
      if (now >= known.pollAt) {
        known.interval *= 2
        known.pollAt = now + known.interval
        shouldPoll = true
      }
      if (now - known.since >= STALLED_AFTER[state] * 2 ** known.requests) {
        known.since = now
        known.requests += 1
        stalled.push(document)
      }
    }
    return { stalled, shouldPoll }
  }
}
