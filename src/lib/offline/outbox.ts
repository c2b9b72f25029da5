import { type Mutation, type MutationKey, onlineManager, type QueryClient } from '@tanstack/react-query'
import { clear, createStore, delMany, entries, set, type UseStore } from 'idb-keyval'
import { defineMutation, type MutationDefinition } from '../mutations.ts'
import { onSignOut } from '../session/sign-out-cleanup.ts'
import { isUnreachable } from './network.ts'

/** A person's change that may not be in the database. */
type Entry = { name: string; variables: unknown }
type Stored = { person: string; written: Entry[] }

/** Sends a stored change. Must be idempotent. */
type Handler = (variables: unknown) => PromiseLike<unknown>

type OfflineMutationDefinition<Variables, Result> = MutationDefinition<Variables, Result> & {
  /** The stored name of the mutation: renaming it needs a migration. */
  name: string
  /** How a later page sends it, if not by `mutationFn`. */
  resend?: (variables: Variables) => Promise<unknown>
  /** Only the last waiting change with the same key is stored. */
  coalesceBy?: (variables: Variables) => string
}
type Registered = { handler: Handler; coalesceBy: ((variables: unknown) => string) | undefined }

const OUTBOX = 'outbox'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
/** Browsers report being offline late. Three retries take 3.5 s. */
const MAX_RETRIES = 3

const retryDelay = (failures: number): number => Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS)

const registry = new Map<string, Registered>()

/** Defines a mutation that survives a reload: it's stored until the database responds, or sent by a later page. */
export function defineOfflineMutation<Result, Variables>(definition: OfflineMutationDefinition<Variables, Result>) {
  const { name, mutationFn, resend, coalesceBy } = definition
  // Entries are written by the mutation of their name, so the variables have its type.
  registry.set(name, { handler: resend ?? mutationFn, coalesceBy } as Registered)
  return {
    ...defineMutation(definition),
    networkMode: 'online' as const,
    mutationKey: keyOf(name),
    retry: (failures: number, error: Error) => failures < MAX_RETRIES && isUnreachable(error.message),
    retryDelay,
  }
}

const keyOf = (name: string): MutationKey => [OUTBOX, name]
export const isOfflineMutation = (key: MutationKey | undefined): boolean => key?.[0] === OUTBOX

/** Resolves when a mutation waits for the network, immediately or after trying. */
export function untilPaused(queryClient: QueryClient, mutation: Pick<Mutation, 'state'>): Promise<void> {
  return new Promise((resolve) => {
    const mutations = queryClient.getMutationCache()
    const check = (): void => {
      if (!mutation.state.isPaused && mutation.state.status === 'pending') return
      stop()
      resolve()
    }
    const stop = mutations.subscribe(check)
    check()
  })
}

export type OutboxStore = {
  /** @returns the person's changes from closed pages, in order. */
  read(person: string): Promise<Entry[]>
  write(person: string, entries: Entry[]): Promise<void>
  clear(): Promise<void>
}

type Options = {
  queryClient: QueryClient
  store: OutboxStore
  /** Loads the modules that define offline mutations, only if there is something to send. */
  loadDefinitions: () => Promise<unknown>
  isWorthRetrying: (error: unknown) => boolean
  onError: (error: unknown) => void
}

/** Stores changes until they are in the database, across reloads. */
export function createOutbox({ queryClient, store, loadDefinitions, isWorthRetrying, onError }: Options) {
  const mutations = queryClient.getMutationCache()
  let person: string | undefined
  let due = false

  function scheduleWrite(): void {
    if (due) return
    due = true
    queueMicrotask(() => {
      due = false
      if (person) void store.write(person, coalesce(mutations.getAll().flatMap(entryOf)))
    })
  }
  mutations.subscribe(({ mutation }) => {
    if (person && isOfflineMutation(mutation?.options.mutationKey)) scheduleWrite()
  })

  async function resend(name: string, variables: unknown): Promise<unknown> {
    if (!registry.has(name)) await loadDefinitions()
    const registered = registry.get(name)
    if (!registered) throw new Error(`No offline mutation is called ${name}`)
    return registered.handler(variables)
  }

  /** Sends changes from before a reload, in order. */
  async function restore(whose: string): Promise<void> {
    if (person === whose) return
    person = whose
    const stored = await store.read(whose)
    if (person !== whose) return
    for (const { name, variables } of stored) {
      mutations.build(
        queryClient,
        {
          mutationKey: keyOf(name),
          scope: { id: OUTBOX },
          mutationFn: (value: unknown) => resend(name, value),
          // No one can retry by hand, so the outbox retries while that may help.
          retry: (_failures: number, error: Error) => isWorthRetrying(error),
          retryDelay,
          onError,
          onSettled: () => queryClient.invalidateQueries(),
        },
        { ...PAUSED, variables, submittedAt: Date.now() },
      )
    }
    if (onlineManager.isOnline()) await queryClient.resumePausedMutations()
  }

  function discard(): void {
    person = undefined
    void store.clear()
  }
  return { restore, discard }
}

/** TanStack Query's state of a mutation that waits for the network. */
const PAUSED = {
  context: undefined,
  data: undefined,
  error: null,
  failureCount: 0,
  failureReason: null,
  isPaused: true,
  status: 'pending',
} as const

function entryOf({ options, state }: Mutation): Entry[] {
  const name = isOfflineMutation(options.mutationKey) ? options.mutationKey?.[1] : undefined
  return typeof name === 'string' && state.status === 'pending' ? [{ name, variables: state.variables }] : []
}

function coalesce(all: readonly Entry[]): Entry[] {
  const keys = all.map(({ name, variables }) => {
    const key = registry.get(name)?.coalesceBy?.(variables)
    return key === undefined ? undefined : `${name} ${key}`
  })
  return all.filter((_, index) => keys[index] === undefined || !keys.includes(keys[index], index + 1))
}

/** IndexedDB records, one per page. Without storage (a private window), changes last as long as the page. */
function browserStore(): OutboxStore {
  const record = `${OUTBOX}-${crypto.randomUUID()}`
  let store: UseStore | undefined
  const attempt = async <T>(action: (store: UseStore) => Promise<T>): Promise<T | undefined> => {
    try {
      store ??= createStore('carrel-outbox', 'kept')
      return await action(store)
    } catch {
      return undefined
    }
  }
  // Held for the page's lifetime. Later pages adopt records without a lock.
  void navigator.locks?.request(record, () => new Promise(() => {}))

  const adopt = async (person: string, database: UseStore): Promise<Entry[]> => {
    const { held = [] } = (await navigator.locks?.query()) ?? {}
    const alive = new Set(held.map(({ name }) => name))
    const all = await entries<string, Stored>(database)
    const left = all.filter(([name, kept]) => !alive.has(name) && kept.person === person)
    const adopted = left.flatMap(([, kept]) => kept.written)
    await set(record, { person, written: adopted } satisfies Stored, database)
    await delMany(
      left.map(([name]) => name),
      database,
    )
    return adopted
  }
  return {
    read: async (person) => (await attempt((database) => adopt(person, database))) ?? [],
    write: async (person, all) => void (await attempt((database) => set(record, { person, written: all }, database))),
    clear: async () => void (await attempt(clear)),
  }
}

let outbox: ReturnType<typeof createOutbox> | undefined

/** Creates this page's outbox on the first call, and sends the person's changes from closed pages. */
export function restoreOutbox(person: string, options: Omit<Options, 'store'>): Promise<void> {
  if (!outbox) {
    const created = createOutbox({ ...options, store: browserStore() })
    onSignOut(created.discard)
    outbox = created
  }
  return outbox.restore(person)
}
