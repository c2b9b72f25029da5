import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'

/** Searches are private: kept in this browser, and deleted on sign-out. */
const KEY = 'carrel.recent-searches'
export const EVERYWHERE = 'everywhere'
const MAX_SEARCHES = 8

const Stored = z.object({ person: z.string(), places: z.record(z.string(), z.array(z.string())) })
type Stored = z.infer<typeof Stored>

const NONE: readonly string[] = []
const listeners = new Set<() => void>()

function parse(stored: string | null): Stored | undefined {
  try {
    return Stored.parse(JSON.parse(stored ?? ''))
  } catch {
    return undefined
  }
}

let current = parse(localStorage.getItem(KEY))

function update(next: Stored | undefined) {
  current = next
  try {
    if (next) localStorage.setItem(KEY, JSON.stringify(next))
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage, they last until the page is closed.
  }
  for (const listener of listeners) listener()
}

onSignOut(() => update(undefined))
addEventListener('storage', ({ key, newValue }) => {
  if (key !== KEY) return
  current = parse(newValue)
  for (const listener of listeners) listener()
})

/** Remembers a search as the most recent one. @param place The library, or `EVERYWHERE`. */
export function rememberSearch(person: string, place: string, words: string): void {
  const wanted = words.trim()
  if (wanted === '') return
  const places = current?.person === person ? current.places : {}
  const others = (places[place] ?? NONE).filter((one) => one.toLowerCase() !== wanted.toLowerCase())
  update({ person, places: { ...places, [place]: [wanted, ...others].slice(0, MAX_SEARCHES) } })
}

export function forgetSearches(person: string, place: string): void {
  if (current?.person !== person) return
  const { [place]: _forgotten, ...places } = current.places
  update({ person, places })
}

export const recentSearches = (person: string, place: string): readonly string[] =>
  (current?.person === person ? current.places[place] : undefined) ?? NONE

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The person's recent searches in a place, latest first. */
export const useRecentSearches = (person: string, place: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => recentSearches(person, place))
