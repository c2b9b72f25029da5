export type Coverless = {
  readonly document: string
  /** Its file, if this browser has it. */
  readonly file?: Blob
}
export type Cover = { readonly version: string; readonly path: string }

export type CoverSteps = {
  idle(): Promise<void>
  /** Creates and stores a cover; may throw. @returns null if the document can't have one. */
  make(coverless: Coverless): Promise<Cover | null>
}

export type CoverQueue = {
  /** @returns a function that removes it, unless it has been started. */
  add(coverless: Coverless): () => void
  /** Pauses the queue during more important work. */
  setPaused(paused: boolean): void
  made(version: string): string | undefined
  subscribe(listener: () => void): () => void
  clear(): void
}

/** Creates covers one at a time. A failed one isn't retried before reload: the file is the same. */
export function createCoverQueue(steps: CoverSteps): CoverQueue {
  const waiting = new Map<string, Coverless>()
  const made = new Map<string, string>()
  const failed = new Set<string>()
  const listeners = new Set<() => void>()
  let paused = false
  let running: string | undefined
  /** Incremented when the queue is cleared, so that older work has no effect. */
  let era = 0

  const startNext = async () => {
    const [next] = waiting.values()
    if (running !== undefined || paused || !next) return
    const begun = era
    running = next.document
    try {
      await steps.idle()
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
      // Keep an entry with its file: it needs no download.
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
