import { useNavigate } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react'

/** State outside components, and its hook. */
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

/** Sets the page's title while mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    shownTitle.set(title)
    return () => shownTitle.set(undefined)
  }, [title])
}

/** The page's heading; undefined if it has none. */
export const useShownTitle = shownTitle.use

/** Returns a function that changes search parameters; undefined removes one. */
export function useSearchChange(): (next: object) => void {
  const navigate = useNavigate()
  return (next) => void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }), replace: true })
}

/** Returns a function that checks whether a text contains the search text, ignoring case; deferred while typing. */
export function useTextFilter(searched = ''): (text: string) => boolean {
  const search = useDeferredValue(searched.trim().toLowerCase())
  return useCallback((text) => search === '' || text.toLowerCase().includes(search), [search])
}

/** State kept in this browser. Never for project data. */
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

/** Returns the marks after toggling one. */
export function toggled<Id>(marks: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(marks)
  if (!next.delete(id)) next.add(id)
  return next
}
