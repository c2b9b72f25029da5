import { type Mutation, type MutationKey, onlineManager, type QueryClient } from '@tanstack/react-query'
import { clear, createStore, delMany, entries, set, type UseStore } from 'idb-keyval'
import { describeFailure } from './failure.ts'
import { forgetWithPerson } from './person-data.ts'
import { sayFailure } from './toast.ts'

/** One thing that a person wrote, and that the database may not have yet. */
type Written = { name: string; variables: unknown }
type Kept = { person: string; written: Written[] }

/** Sends what was written; it has to be the same to send it once or twice. */
export type Writer = (variables: unknown) => Promise<unknown>

const WRITTEN = 'written'
/** Where what is written lies in this browser until it has arrived. */
const PLACE = 'outbox'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/** Marks a mutation as one that survives a reload, before it was sent or while it is on its way. @param name Under which a
 *  writer is found for it later. */
export const written = (name: string): MutationKey => [WRITTEN, name]
export const isWritten = (key: MutationKey | undefined): boolean => key?.[0] === WRITTEN

export type OutboxStore = {
  /** @returns what this person wrote on pages that are gone, in order. */
  read(person: string): Promise<Written[]>
  write(person: string, written: Written[]): Promise<void>
  clear(): Promise<void>
}

type Options = { queryClient: QueryClient; find: (name: string) => Promise<Writer>; store: OutboxStore }

/** Keeps what is written until the database has it, also over a reload. */
export function createOutbox({ queryClient, find, store }: Options) {
  const mutations = queryClient.getMutationCache()
  let person: string | undefined
  let due = false

  function keep(): void {
    if (due) return
    due = true
    queueMicrotask(() => {
      due = false
      if (person) void store.write(person, latest(mutations.getAll().flatMap(entry)))
    })
  }
  mutations.subscribe(({ mutation }) => {
    if (person && isWritten(mutation?.options.mutationKey)) keep()
  })

  /** Goes on with what this person wrote before the page was closed or reloaded; in the order in which it was written. */
  async function restore(whose: string): Promise<void> {
    if (person === whose) return
    person = whose
    const kept = await store.read(whose)
    if (person !== whose) return
    for (const { name, variables } of kept) {
      mutations.build(
        queryClient,
        {
          mutationKey: written(name),
          scope: { id: PLACE },
          mutationFn: async (wish: unknown) => (await find(name))(wish),
          // Nobody is left who could press the button again: what may still arrive is tried until it does.
          retry: (_failures: number, error: Error) => describeFailure(error).worthRetrying,
          retryDelay: (failures: number) => Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS),
          onError: sayFailure,
          onSettled: () => queryClient.invalidateQueries(),
        },
        { ...PAUSED, variables, submittedAt: Date.now() },
      )
    }
    if (onlineManager.isOnline()) await queryClient.resumePausedMutations()
  }

  function forget(): void {
    person = undefined
    void store.clear()
  }
  return { restore, forget }
}

/** As TanStack Query leaves a mutation that waits for the network. */
const PAUSED = {
  context: undefined,
  data: undefined,
  error: null,
  failureCount: 0,
  failureReason: null,
  isPaused: true,
  status: 'pending',
} as const

function entry({ options, state }: Mutation): Written[] {
  const name = isWritten(options.mutationKey) ? options.mutationKey?.[1] : undefined
  return typeof name === 'string' && state.status === 'pending' ? [{ name, variables: state.variables }] : []
}

/** Of a draft that was kept again and again only the last is worth sending. */
function latest(all: readonly Written[]): Written[] {
  return all.filter(
    ({ name, variables }, index) =>
      name !== 'save-draft' ||
      !all.slice(index + 1).some((later) => later.name === name && sameNote(later.variables, variables)),
  )
}
const sameNote = (one: unknown, other: unknown): boolean => noteOf(one) === noteOf(other)
const noteOf = (variables: unknown): unknown =>
  typeof variables === 'object' && variables !== null && 'note' in variables ? variables.note : undefined

/** In IndexedDB, each page in a place of its own. A browser that lets a page keep nothing (a private window) sends what it can
 *  before it is closed. */
function browserStore(): OutboxStore {
  const here = `${PLACE}-${crypto.randomUUID()}`
  let store: UseStore | undefined
  const attempt = async <T>(action: (store: UseStore) => Promise<T>): Promise<T | undefined> => {
    try {
      store ??= createStore('carrel-outbox', 'kept')
      return await action(store)
    } catch {
      return undefined
    }
  }
  // Held for as long as the page lives: what lies in the place of a page that is gone is for the next one.
  void navigator.locks?.request(here, () => new Promise(() => {}))

  const adopt = async (person: string, place: UseStore): Promise<Written[]> => {
    const { held = [] } = (await navigator.locks?.query()) ?? {}
    const alive = new Set(held.map(({ name }) => name))
    const all = await entries<string, Kept>(place)
    const left = all.filter(([name, kept]) => !alive.has(name) && kept.person === person)
    const adopted = left.flatMap(([, kept]) => kept.written)
    await set(here, { person, written: adopted } satisfies Kept, place)
    await delMany(
      left.map(([name]) => name),
      place,
    )
    return adopted
  }
  return {
    read: async (person) => (await attempt((place) => adopt(person, place))) ?? [],
    write: async (person, all) => void (await attempt((place) => set(here, { person, written: all }, place))),
    clear: async () => void (await attempt(clear)),
  }
}

let outbox: ReturnType<typeof createOutbox> | undefined

/** @param find Where the writers are; asked only when something has to be sent again. */
export function restoreWritten(
  queryClient: QueryClient,
  find: (name: string) => Promise<Writer>,
  person: string,
): Promise<void> {
  if (!outbox) {
    const made = createOutbox({ queryClient, find, store: browserStore() })
    forgetWithPerson(made.forget)
    outbox = made
  }
  return outbox.restore(person)
}
