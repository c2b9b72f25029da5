import { type DehydratedState, dehydrate, hydrate, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { clear, createStore, get, set, type UseStore } from 'idb-keyval'
import { onSignOut } from '../session/sign-out-cleanup.ts'

/** Increase it when the stored format changes; older data is then ignored. */
const FORMAT = 3
const MAX_AGE_MS = 30 * 86_400_000
/** Batches writes and limits the share of time spent on them: a shelf being indexed changes constantly. */
const WRITE_DELAY_MS = 1_000
const WRITE_SHARE = 40
/** Milliseconds to wait for the stored cache before using the network. */
const TIMEOUT_MS = 3_000

type Stored = { format: number; person: string; at: number; state: DehydratedState }

/** A query's state right after a successful fetch. */
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

/** Persists query results in this browser for offline use and reloads. They are deleted on sign-out and never shown to
 *  another person.
 *  @returns a function that starts persistence for a person and resolves when the cache is restored. */
export function persistQueries({ queryClient, isPersisted, now = Date.now }: Options) {
  let store: UseStore | undefined
  let person: string | undefined
  let restored = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = WRITE_DELAY_MS
  // Without storage (a private window), the app works online.
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
      // A result stays valid even if refetching failed.
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
  // Offline, or hidden on a phone, the page may be closed before the timer fires.
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

  // Concurrent callers share one restore.
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
      // Restored results show immediately, but are refetched by every screen.
      return queryClient.invalidateQueries({ refetchType: 'none' })
    })
    // Offline there is nothing else to show.
    if (!navigator.onLine) await reading
    else await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS))])
  }
}
