import { useEffect, useState, useSyncExternalStore } from 'react'

let shown: string | undefined
const listeners = new Set<() => void>()

function show(title: string | undefined): void {
  shown = title
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sets the page's title to its heading while that is mounted. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    show(title)
    return () => show(undefined)
  }, [title])
}

/** The heading of the page; undefined while it has none. */
export const useShownTitle = (): string | undefined => useSyncExternalStore(subscribe, () => shown)

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
