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

/** Says what the heading of the page is, for as long as that is there. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    show(title)
    return () => show(undefined)
  }, [title])
}

/** The heading of the page; undefined while it has none. */
export const useShownTitle = (): string | undefined => useSyncExternalStore(subscribe, () => shown)
