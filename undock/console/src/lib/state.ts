import { useNavigate } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react'

/** A state outside of components, with the hook that follows it. */
export function createStore<T>(initial: T) {
  let state = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const get = (): T => state
  return {
    get,
    set(next: T): void {
      state = next
      for (const listener of listeners) listener()
    },
    use: (): T => useSyncExternalStore(subscribe, get),
  }
}

const shownTitle = createStore<string | undefined>(undefined)

/** Sets the page's title to its heading while that is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    shownTitle.set(title)
    return () => shownTitle.set(undefined)
  }, [title])
}

/** The heading of the page; undefined while it has none. */
export const useShownTitle = shownTitle.use

/** Returns a function that changes parts of the address behind the `?`; those that are undefined are left out. */
export function useSearchChange(): (next: object) => void {
  const navigate = useNavigate()
  return (next) => void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }), replace: true })
}

/** Returns whether a text contains what is searched for, regardless of case; it follows fast typing a moment later. */
export function useTextFilter(searched = ''): (text: string) => boolean {
  const wanted = useDeferredValue(searched.trim().toLowerCase())
  return useCallback((text) => wanted === '' || text.toLowerCase().includes(wanted), [wanted])
}

/** A state that this browser keeps. Never for data of the project. */
export function useStored(key: string, initial: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(key) ?? initial)
  return [
    value,
    (next) => {
      localStorage.setItem(key, next)
      setValue(next)
    },
  ]
}

/** The marks after one is set or removed. */
export function toggled<Id>(marks: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(marks)
  if (!next.delete(id)) next.add(id)
  return next
}
