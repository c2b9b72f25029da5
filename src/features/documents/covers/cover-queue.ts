/** A document that has no cover yet. */
export type Coverless = {
  readonly document: string
  /** Its file, if this browser has it. */
  readonly file?: Blob
}
export type Cover = { readonly version: string; readonly path: string }

export type CoverSteps = {
  /** Resolves when the page has nothing more important to do. */
  idle(): Promise<void>
  /** Makes and stores a cover; may throw. @returns null for a document of which none can be made. */
  make(coverless: Coverless): Promise<Cover | null>
}

export type CoverQueue = {
  /** @returns what takes it off again, unless it has been begun. */
  add(coverless: Coverless): () => void
  /** Lets nothing new begin while something more important continues. */
  setPaused(paused: boolean): void
  /** The path of a version's cover that was made here. */
  made(version: string): string | undefined
  subscribe(listener: () => void): () => void
  clear(): void
}

/** Makes covers one after the other. What failed once is not tried again before the page is reloaded: the file is the same. */
export function createCoverQueue(steps: CoverSteps): CoverQueue {
  const waiting = new Map<string, Coverless>()
  const made = new Map<string, string>()
  const failed = new Set<string>()
  const listeners = new Set<() => void>()
  let paused = false
  let running: string | undefined
  /** Counts how often the queue was cleared: what was begun before has no effect after it. */
  let era = 0

  const startNext = async () => {
    const [next] = waiting.values()
    if (running !== undefined || paused || !next) return
    const begun = era
    running = next.document
    try {
      await steps.idle()
      // Meanwhile it may have been taken off, or something more important may have begun.
      if (paused || waiting.get(next.document) !== next) return
      waiting.delete(next.document)
      const cover = await steps.make(next).catch(() => null)
      if (begun !== era) return
      if (cover) {
        made.set(cover.version, cover.path)
        for (const listener of listeners) listener()
      } else failed.add(next.document)
    } finally {
      running = undefined
      void startNext()
    }
  }

  return {
    add(coverless) {
      const { document } = coverless
      if (failed.has(document)) return () => {}
      // One with its file is kept: it costs no download, and no card takes it off again.
      const known = waiting.get(document)
      if (known?.file || (known && !coverless.file)) return () => {}
      if (running !== document || known) waiting.set(document, coverless)
      void startNext()
      return () => {
        if (!coverless.file && waiting.get(document) === coverless) waiting.delete(document)
      }
    },
    setPaused(next) {
      paused = next
      void startNext()
    },
    made: (version) => made.get(version),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    clear() {
      era += 1
      waiting.clear()
      made.clear()
      failed.clear()
    },
  }
}
