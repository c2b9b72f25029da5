import { createStore, type Store } from '../../lib/store.ts'

/** An upload's progress: `sent` in bytes, `speed` in bytes per second, null if unknown. */
type UploadState =
  | { step: 'waiting' }
  | { step: 'checking' }
  | { step: 'sending'; sent: number | null; speed: number | null }
  | { step: 'paused'; sent: number | null }
  | { step: 'filing' }
  | { step: 'done'; document: string }
  | { step: 'duplicate'; document: string; title: string }
  | { step: 'refused'; reason: string }
  | { step: 'failed'; reason: string }

export type Destination = { library: string; collection: string | undefined }

export type Upload = Destination & {
  id: string
  file: File
  resumable: boolean
  /** Whether a copy in this browser lets it continue after a reload. */
  kept: boolean
  state: UploadState
}

export type SendOptions = { onSent: (bytes: number) => void; signal: AbortSignal }

/** May throw, and stop when `signal` is aborted. */
export type UploadSteps = {
  /** @returns why the file is rejected, if it is. */
  check(file: File): Promise<string | undefined>
  /** @returns the document with the same bytes, or else their SHA-256. */
  findDuplicate(file: File, library: string): Promise<{ id: string; title: string } | { hash: string }>
  isResumable(file: File): boolean
  send(upload: Upload, options: SendOptions): Promise<{ document: string; path: string }>
  /** Returns why a hashed file can't be filed, if it has changed since. */
  checkChange(file: File, hash: string): Promise<string | undefined>
  file(upload: Upload, sent: { document: string; path: string; hash: string }): Promise<void>
  explain(error: unknown): string
  /** Keeps a copy of an unfinished upload. @returns whether there was room. */
  keep(upload: Upload): Promise<boolean>
  drop(id: string): void
  now(): number
}

export type UploadQueue = Store<readonly Upload[]> & {
  add(files: readonly File[], destination: Destination): void
  restore(kept: readonly (Destination & { id: string; file: File })[]): void
  pause(id: string): void
  resume(id: string): void
  remove(id: string): void
  retryFailed(): void
  cancelAll(): void
  clear(): void
}

/** Two large files at a time use the bandwidth while each visibly progresses. Small files mostly wait for responses, so
 *  up to six run in parallel below this many bytes in total. */
const AT_ONCE = { files: 2, smallFiles: 6, smallBytes: 1024 * 1024 }
const FINISHED = new Set<UploadState['step']>(['done', 'duplicate', 'refused'])
const BUSY = new Set<UploadState['step']>(['checking', 'sending', 'filing'])

export const isFinished = ({ state }: Upload) => FINISHED.has(state.step)
export const isUnderWay = ({ state }: Upload) => BUSY.has(state.step) || state.step === 'waiting'

/** Checks, deduplicates, sends and files uploads, a few at a time. Not in a screen, so navigation doesn't stop it. */
export function createUploadQueue(steps: UploadSteps): UploadQueue {
  const { get, set: publish, subscribe } = createStore<readonly Upload[]>([])
  const stops = new Map<string, AbortController>()

  const enqueue = (entries: readonly (Destination & { id: string; file: File; kept: boolean })[]) => {
    const added = entries.map((entry) => ({
      ...entry,
      resumable: steps.isResumable(entry.file),
      state: { step: 'waiting' } as const,
    }))
    publish([...get(), ...added])
    startNext()
    return added
  }
  const find = (id: string) => get().find((upload) => upload.id === id)
  const move = (id: string, state: UploadState) =>
    publish(get().map((upload) => (upload.id === id ? { ...upload, state } : upload)))

  const startNext = () => {
    for (;;) {
      const next = get().find(({ state }) => state.step === 'waiting')
      const busy = get().filter(({ state }) => BUSY.has(state.step))
      const bytes = busy.reduce((sum, { file }) => sum + file.size, next?.file.size ?? 0)
      const most = bytes <= AT_ONCE.smallBytes ? AT_ONCE.smallFiles : AT_ONCE.files
      if (!next || busy.length >= most) return
      move(next.id, { step: 'checking' })
      void run(next)
    }
  }

  const run = async (upload: Upload) => {
    const stop = new AbortController()
    stops.set(upload.id, stop)
    try {
      const state = await takeThrough(upload, steps, stop.signal, (step) => {
        if (!stop.signal.aborted) move(upload.id, step)
      })
      if (stop.signal.aborted) return
      move(upload.id, state)
      steps.drop(upload.id)
    } catch (error) {
      // A pause or removal has already set the state.
      if (!stop.signal.aborted) move(upload.id, { step: 'failed', reason: steps.explain(error) })
    } finally {
      if (stops.get(upload.id) === stop) stops.delete(upload.id)
      startNext()
    }
  }

  const halt = (id: string) => {
    stops.get(id)?.abort()
    stops.delete(id)
  }

  const cancelAll = () => {
    const unfinished = get().filter((upload) => !isFinished(upload))
    publish(get().filter(isFinished))
    for (const { id } of unfinished) {
      halt(id)
      steps.drop(id)
    }
  }

  return {
    get,
    subscribe,
    add(files, destination) {
      const added = enqueue(files.map((file) => ({ ...destination, id: crypto.randomUUID(), file, kept: false })))
      for (const upload of added) {
        void steps.keep(upload).then((kept) => {
          publish(get().map((one) => (one.id === upload.id ? { ...one, kept } : one)))
          // It may have finished or been removed while the copy was made.
          const now = find(upload.id)
          if (!now || isFinished(now)) steps.drop(upload.id)
        })
      }
    },
    restore(kept) {
      const known = new Set(get().map(({ id }) => id))
      enqueue(kept.filter(({ id }) => !known.has(id)).map((entry) => ({ ...entry, kept: true })))
    },
    pause(id) {
      const upload = find(id)
      if (!upload || (upload.state.step !== 'sending' && upload.state.step !== 'waiting')) return
      halt(id)
      move(id, { step: 'paused', sent: upload.state.step === 'sending' ? upload.state.sent : 0 })
      startNext()
    },
    resume(id) {
      const step = find(id)?.state.step
      if (step !== 'paused' && step !== 'failed') return
      move(id, { step: 'waiting' })
      startNext()
    },
    remove(id) {
      halt(id)
      steps.drop(id)
      publish(get().filter((upload) => upload.id !== id))
      startNext()
    },
    retryFailed() {
      for (const { id, state } of get()) if (state.step === 'failed') move(id, { step: 'waiting' })
      startNext()
    },
    cancelAll,
    clear() {
      cancelAll()
      publish([])
    },
  }
}

async function takeThrough(
  upload: Upload,
  steps: UploadSteps,
  signal: AbortSignal,
  onStep: (state: UploadState) => void,
): Promise<UploadState> {
  const reason = await steps.check(upload.file)
  if (reason) return { step: 'refused', reason }
  const lookup = await steps.findDuplicate(upload.file, upload.library)
  // It was already filed and the response was lost.
  if ('id' in lookup && lookup.id === upload.id) return { step: 'done', document: lookup.id }
  if ('id' in lookup) return { step: 'duplicate', document: lookup.id, title: lookup.title }
  signal.throwIfAborted()
  onStep({ step: 'sending', sent: null, speed: null })
  const speedOf = speedometer(steps.now)
  const changed = () => steps.checkChange(upload.file, lookup.hash)
  const sent = await steps
    .send(upload, { signal, onSent: (bytes) => onStep({ step: 'sending', sent: bytes, speed: speedOf(bytes) }) })
    .catch(async (error) => {
      const reason = signal.aborted ? undefined : await changed()
      if (reason === undefined) throw error
      return { reason }
    })
  signal.throwIfAborted()
  // The file changed while it was sent.
  if ('reason' in sent) return { step: 'refused', reason: sent.reason }
  const change = await changed()
  if (change !== undefined) return { step: 'refused', reason: change }
  onStep({ step: 'filing' })
  await steps.file(upload, { ...sent, hash: lookup.hash })
  return { step: 'done', document: sent.document }
}

/** Milliseconds over which the speed is averaged. */
const SPEED_WINDOW = 5000
const SPEED_LEAST = 500

/** Returns bytes per second over the last few seconds; null in the first half second. */
function speedometer(now: () => number): (sent: number) => number | null {
  let samples: { at: number; sent: number }[] = []
  return (sent) => {
    const at = now()
    samples = [...samples.filter((sample) => at - sample.at <= SPEED_WINDOW), { at, sent }]
    const first = samples[0]
    const elapsed = first ? at - first.at : 0
    return first && elapsed >= SPEED_LEAST ? ((sent - first.sent) / elapsed) * 1000 : null
  }
}
