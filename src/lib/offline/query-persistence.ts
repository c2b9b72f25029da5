import { type DehydratedState, dehydrate, hydrate, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { clear, createStore, get, set, type UseStore } from 'idb-keyval'
import { onSignOut } from '../session/sign-out-cleanup.ts'

/** Changes whenever the stored shape changes: what an older version of the app stored is then ignored. */
const FORMAT = 3
const MAX_AGE_MS = 30 * 86_400_000
/** Changes within this time are written once, and writing takes at most a part of the time: a shelf of thousands of documents
 *  that are being read changes all the time. */
const WRITE_DELAY_MS = 1_000
const WRITE_SHARE = 40
/** Milliseconds that a person may wait for the stored cache before the network is asked. */
const TIMEOUT_MS = 3_000

type Stored = { format: number; person: string; at: number; state: DehydratedState }

/** The state of a query right after it was read, whatever has been tried since. */
const SUCCESSFUL = {
  status: 'success',
  fetchStatus: 'idle',
  error: null,
  fetchFailureCount: 0,
  fetchFailureReason: null,
} as const

type Options = {
  queryClient: QueryClient
  isPersisted: (key: QueryKey) => boolean
  now?: () => number
}

/** Stores in this browser what a person has read, so that it stays readable without network and after a reload. It is deleted
 *  when the person signs out, and never shown to another person.
 *  @returns a function that starts persistence for a person. It resolves when the stored answers are in the cache. */
export function persistQueries({ queryClient, isPersisted, now = Date.now }: Options) {
  let store: UseStore | undefined
  let person: string | undefined
  let restored = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = WRITE_DELAY_MS
  // A browser that lets a page store nothing (a private window) still shows what the network brings.
  const attempt = async <T>(action: (store: UseStore) => Promise<T>): Promise<T | undefined> => {
    try {
      store ??= createStore('carrel', 'kept')
      return await action(store)
    } catch {
      return undefined
    }
  }

  async function write(): Promise<void> {
    timer = undefined
    if (!person) return
    const start = performance.now()
    const { queries } = dehydrate(queryClient, {
      // An answer that could not be fetched again is still an answer.
      shouldDehydrateQuery: ({ queryKey, state: { data } }) => data !== undefined && isPersisted(queryKey),
      shouldDehydrateMutation: () => false,
    })
    const state = {
      mutations: [],
      queries: queries.map((query) => ({ ...query, state: { ...query.state, ...SUCCESSFUL } })),
    }
    const stored: Stored = { format: FORMAT, person, at: now(), state: JSON.parse(JSON.stringify(state)) }
    delay = Math.max(WRITE_DELAY_MS, WRITE_SHARE * (performance.now() - start))
    await attempt((database) => set('cache', stored, database))
  }

  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (!person || timer || type !== 'updated' || query.state.status !== 'success' || !isPersisted(query.queryKey))
      return
    timer = setTimeout(() => void write(), delay)
  })
  // Without network, or hidden on a phone, a page may be gone before the timer is due.
  const writeNow = (): void => {
    if (timer === undefined) return
    clearTimeout(timer)
    void write()
  }
  addEventListener('offline', writeNow)
  addEventListener('pagehide', writeNow)
  onSignOut(() => {
    person = undefined
    clearTimeout(timer)
    timer = undefined
    void attempt(clear)
  })

  // Several callers may ask for the same person: all of them wait for one restore.
  return (whose: string): Promise<void> => {
    if (person !== whose) restored = restore(whose)
    return restored
  }

  async function restore(whose: string): Promise<void> {
    person = whose
    const reading = attempt((database) => get<Stored>('cache', database)).then((stored) => {
      if (person !== whose || stored?.format !== FORMAT || stored.person !== whose) return
      if (now() - stored.at > MAX_AGE_MS) return
      hydrate(queryClient, stored.state)
      // Stored answers are shown at once, but every screen that shows one fetches it again.
      return queryClient.invalidateQueries({ refetchType: 'none' })
    })
    // Without network there is nothing else to show, however long it takes.
    if (!navigator.onLine) await reading
    else await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS))])
  }
}
