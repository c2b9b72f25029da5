import { useSyncExternalStore } from 'react'

export type Store<T> = { get(): T; subscribe(listener: () => void): () => void }

/** A value outside of components. */
export function createStore<T>(initial: T): Store<T> & { set(next: T): void } {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A value that this browser keeps and its tabs share. Without storage, it lasts until the page is closed.
 *  @param parse Reads what is stored, null for nothing. @param set Undefined deletes the stored value. */
export function createStoredStore<T>(
  key: string,
  parse: (stored: string | null) => T,
): ReturnType<typeof createStore<T>> {
  const store = createStore(parse(localStorage.getItem(key)))
  addEventListener('storage', (event) => {
    if (event.key === key) store.set(parse(event.newValue))
  })
  return {
    ...store,
    set(next) {
      try {
        if (next === undefined) localStorage.removeItem(key)
        else localStorage.setItem(key, JSON.stringify(next))
      } catch {}
      store.set(next)
    },
  }
}

export const useStore = <T>({ get, subscribe }: Store<T>): T => useSyncExternalStore(subscribe, get)
