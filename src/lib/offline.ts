import { type DehydratedState, dehydrate, hydrate, type QueryClient } from '@tanstack/react-query'
import { clear, createStore, get, set, type UseStore } from 'idb-keyval'
import { forgetWithPerson } from './person-data.ts'

/** Changes whenever what is kept changes its shape: what an older app kept is then left alone. */
const FORMAT = 1
const KEPT_MS = 30 * 86_400_000
/** What changes within this time is written once. */
const PAUSE_MS = 1_000
/** Milliseconds that a person may wait for what was kept before the network is asked. */
const PATIENCE_MS = 3_000

type Kept = { format: number; person: string; at: number; state: DehydratedState }

/** Answers that are not kept: files are large, and tokens, sessions and what a search found are of the moment. */
const PASSING = new Set(['file', 'shared', 'ways'])
const PASSING_PARTS = new Set(['search', 'audience', 'links', 'invitations', 'seen'])

/** As it was when it was read, whatever has been tried since. */
const READ = {
  status: 'success',
  fetchStatus: 'idle',
  error: null,
  fetchFailureCount: 0,
  fetchFailureReason: null,
} as const

export const isKept = (key: readonly unknown[]): boolean =>
  !PASSING.has(String(key[0])) &&
  (key[0] !== 'account' || key[1] === 'profile') &&
  !key.some((part) => PASSING_PARTS.has(String(part)))

/** Keeps what a person has read in this browser, so that it stays readable without network and after a reload. Gone with the
 *  person's session, and never shown to another.
 *  @returns a function that begins for a person: it resolves when what was kept is in the cache. */
export function keepForOffline(
  queryClient: QueryClient,
  now: () => number = Date.now,
): (person: string) => Promise<void> {
  let store: UseStore | undefined
  let person: string | undefined
  let begun = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  // A browser that lets a page keep nothing (a private window) is no reason to show nothing.
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
    const { queries } = dehydrate(queryClient, {
      // What was read stays read when it could not be asked anew.
      shouldDehydrateQuery: ({ queryKey, state: { data } }) => data !== undefined && isKept(queryKey),
      shouldDehydrateMutation: () => false,
    })
    const state = { mutations: [], queries: queries.map((query) => ({ ...query, state: { ...query.state, ...READ } })) }
    const kept: Kept = { format: FORMAT, person, at: now(), state: JSON.parse(JSON.stringify(state)) }
    await attempt((kept_in) => set('cache', kept, kept_in))
  }

  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (!person || timer || type !== 'updated' || query.state.status !== 'success' || !isKept(query.queryKey)) return
    timer = setTimeout(() => void write(), PAUSE_MS)
  })
  forgetWithPerson(() => {
    person = undefined
    clearTimeout(timer)
    timer = undefined
    void attempt(clear)
  })

  // Asked for by whoever comes first to a person's session; all of them wait.
  return (whose) => {
    if (person !== whose) begun = begin(whose)
    return begun
  }

  async function begin(whose: string): Promise<void> {
    person = whose
    const reading = attempt((kept_in) => get<Kept>('cache', kept_in)).then((kept) => {
      if (person !== whose || kept?.format !== FORMAT || kept.person !== whose || now() - kept.at > KEPT_MS) return
      hydrate(queryClient, kept.state)
      // Good enough to begin with, never to stay with: whatever shows it asks anew.
      return queryClient.invalidateQueries({ refetchType: 'none' })
    })
    // Without network there is nothing else to show, however long it takes.
    if (!navigator.onLine) await reading
    else await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
  }
}
