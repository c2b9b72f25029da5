import { createStore, type Store } from '../../lib/store.ts'
import { type OpenScan, readScan } from './open-scan.ts'

export type Scan = { readonly library: string; readonly document: string; readonly title: string }

type RecognitionState =
  | { step: 'waiting' }
  /** `done` of `of` pages are processed. */
  | { step: 'reading'; done: number; of: number }
  /** `pages` had text. */
  | { step: 'done'; pages: number }
  | { step: 'failed'; reason: string }
export type Recognition = Scan & { readonly state: RecognitionState }

/** May throw, and stop when `signal` is aborted. */
export type RecognitionSteps = {
  /** @returns null if no page is left, or another browser has it. */
  open(scan: Scan, signal: AbortSignal): Promise<OpenScan | null>
  explain(error: unknown): string
  remember(scan: Scan): void
  forget(document: string): void
}

export type RecognitionQueue = Store<readonly Recognition[]> & {
  add(scan: Scan): void
  remove(document: string): void
  clear(): void
}

export const isFinished = ({ state }: Recognition): boolean => state.step === 'done'

/** Recognizes scans one by one, page by page. Independent of any screen, so that it continues during navigation. */
export function createRecognitionQueue(steps: RecognitionSteps): RecognitionQueue {
  const { get, set: publish, subscribe } = createStore<readonly Recognition[]>([])
  let running: { document: string; stop: AbortController } | undefined

  const move = (document: string, state: RecognitionState) =>
    publish(get().map((one) => (one.document === document ? { ...one, state } : one)))
  const takeOff = (document: string) => publish(get().filter((one) => one.document !== document))

  const startNext = () => {
    const next = running ? undefined : get().find(({ state }) => state.step === 'waiting')
    if (!next) return
    const stop = new AbortController()
    running = { document: next.document, stop }
    const { library, document, title } = next
    void run({ library, document, title }, stop.signal).finally(() => {
      running = undefined
      startNext()
    })
  }

  const run = async (scan: Scan, signal: AbortSignal) => {
    try {
      const pages = await readPages(scan, signal)
      if (signal.aborted) return
      steps.forget(scan.document)
      if (pages === null) takeOff(scan.document)
      else move(scan.document, { step: 'done', pages })
    } catch (error) {
      if (!signal.aborted) move(scan.document, { step: 'failed', reason: steps.explain(error) })
    }
  }

  /** @returns the number of pages with text; null if none was left. */
  const readPages = async (scan: Scan, signal: AbortSignal): Promise<number | null> => {
    const open = await steps.open(scan, signal)
    if (!open) return null
    return await readScan(open, async (done) => {
      signal.throwIfAborted()
      move(scan.document, { step: 'reading', done, of: open.total })
      return true
    })
  }

  return {
    get,
    subscribe,
    add({ library, document, title }) {
      const known = get().find((one) => one.document === document)
      if (known && (known.state.step === 'waiting' || known.state.step === 'reading')) return
      steps.remember({ library, document, title })
      publish([...get().filter((one) => one !== known), { library, document, title, state: { step: 'waiting' } }])
      startNext()
    },
    remove(document) {
      steps.forget(document)
      takeOff(document)
      if (running?.document === document) running.stop.abort()
    },
    clear() {
      running?.stop.abort()
      publish([])
    },
  }
}
