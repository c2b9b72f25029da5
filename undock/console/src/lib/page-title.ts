import { useEffect, useSyncExternalStore } from 'react'

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
