import * as z from 'zod/mini'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'
import { createStoredStore, useStore } from '../../lib/store.ts'

/** Searches are private: kept in this browser, and deleted on sign-out. */
const KEY = 'carrel.recent-searches'
export const EVERYWHERE = 'everywhere'
const MAX_SEARCHES = 8

const Stored = z.object({ person: z.string(), places: z.record(z.string(), z.array(z.string())) })
type Stored = z.infer<typeof Stored>

const NONE: readonly string[] = []

function parse(stored: string | null): Stored | undefined {
  try {
    return Stored.parse(JSON.parse(stored ?? ''))
  } catch {
    return undefined
  }
}

const stored = createStoredStore(KEY, parse)
onSignOut(() => stored.set(undefined))

const placesOf = (stored: Stored | undefined, person: string): Stored['places'] =>
  stored?.person === person ? stored.places : {}

/** Remembers a search as the most recent one. @param place The library, or `EVERYWHERE`. */
export function rememberSearch(person: string, place: string, words: string): void {
  const wanted = words.trim()
  if (wanted === '') return
  const places = placesOf(stored.get(), person)
  const others = (places[place] ?? NONE).filter((one) => one.toLowerCase() !== wanted.toLowerCase())
  stored.set({ person, places: { ...places, [place]: [wanted, ...others].slice(0, MAX_SEARCHES) } })
}

export function forgetSearches(person: string, place: string): void {
  const { [place]: _forgotten, ...places } = placesOf(stored.get(), person)
  if (stored.get()?.person === person) stored.set({ person, places })
}

export const recentSearches = (person: string, place: string): readonly string[] =>
  placesOf(stored.get(), person)[place] ?? NONE

/** The person's recent searches in a place, latest first. */
export const useRecentSearches = (person: string, place: string): readonly string[] =>
  placesOf(useStore(stored), person)[place] ?? NONE
