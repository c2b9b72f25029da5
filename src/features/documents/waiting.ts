import type { Card } from './queries.ts'

/** What is watched of a document: as long as one of them moves, somebody is at work. */
type Watched = Pick<Card, 'id' | 'kind' | 'state' | 'progress'>

/** Milliseconds without any sign after which nobody is at work. What is queued was never asked for: the network went at that
 *  moment. A reading that breaks off is free again after two minutes (begin_ingestion). */
const PATIENCE = { queued: 20_000, extracting: 130_000, embedding: 130_000 } as const
/** Milliseconds after which one asks how it is, in case nobody has told; twice as many before each further time. */
const SILENCE = 10_000

type Sign = { state: string; progress: number; since: number; askAt: number; pause: number; tries: number }

export const isBeingRead = ({ state }: Pick<Card, 'state'>): boolean => state in PATIENCE

/** Remembers when each document last gave a sign of life. Patience doubles with each attempt. */
export class Waiting {
  #signs = new Map<string, Sign>()

  /** @param now Milliseconds of any clock that only goes forward.
   *  @returns those that nobody reads, to be read; and whether any has been silent long enough to ask after it. */
  look(documents: readonly Watched[], now: number): { forgotten: Watched[]; silent: boolean } {
    const before = this.#signs
    this.#signs = new Map()
    const forgotten: Watched[] = []
    let silent = false
    for (const document of documents) {
      const { id, state, progress } = document
      if (state !== 'queued' && state !== 'extracting' && state !== 'embedding') continue
      const known = before.get(id)
      const moved = known?.state !== state || known.progress !== progress
      const sign =
        known && !moved
          ? known
          : { state, progress, since: now, askAt: now + SILENCE, pause: SILENCE, tries: known?.tries ?? 0 }
      this.#signs.set(id, sign)
      if (now >= sign.askAt) {
        sign.pause *= 2
        sign.askAt = now + sign.pause
        silent = true
      }
      if (now - sign.since >= PATIENCE[state] * 2 ** sign.tries) {
        sign.since = now
        sign.tries += 1
        forgotten.push(document)
      }
    }
    return { forgotten, silent }
  }
}
