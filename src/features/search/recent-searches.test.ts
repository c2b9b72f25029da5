import { beforeEach, expect, test } from 'vitest'
import { runSignOutCleanup } from '../../lib/session/sign-out-cleanup.ts'
import { forgetSearches, recentSearches, rememberSearch } from './recent-searches.ts'

beforeEach(() => runSignOutCleanup())

test('the latest search comes first, each once, in any case, and only eight', () => {
  for (const words of ['lamp', 'keeper', ' Lamp ', '', '  ']) rememberSearch('ada', 'library', words)
  expect(recentSearches('ada', 'library')).toEqual(['Lamp', 'keeper'])
  for (let n = 0; n < 12; n += 1) rememberSearch('ada', 'library', `search ${n}`)
  expect(recentSearches('ada', 'library')).toHaveLength(8)
  expect(recentSearches('ada', 'library')[0]).toBe('search 11')
})

test('they belong to one place and one person', () => {
  rememberSearch('ada', 'library', 'lamp')
  expect(recentSearches('ada', 'other')).toEqual([])
  expect(recentSearches('mary', 'library')).toEqual([])
  rememberSearch('mary', 'library', 'keeper')
  expect(recentSearches('ada', 'library')).toEqual([])
})

test('they can be forgotten, and signing out forgets them', () => {
  rememberSearch('ada', 'library', 'lamp')
  rememberSearch('ada', 'other', 'keeper')
  forgetSearches('ada', 'library')
  expect(recentSearches('ada', 'library')).toEqual([])
  expect(recentSearches('ada', 'other')).toEqual(['keeper'])
  runSignOutCleanup()
  expect(recentSearches('ada', 'other')).toEqual([])
  expect(localStorage.getItem('carrel.recent-searches')).toBeNull()
})

test('another tab changes them, and what it stores may be damaged', () => {
  const tell = (newValue: string) =>
    dispatchEvent(new StorageEvent('storage', { key: 'carrel.recent-searches', newValue }))
  tell(JSON.stringify({ person: 'ada', places: { library: ['lens'] } }))
  expect(recentSearches('ada', 'library')).toEqual(['lens'])
  tell('{"person": 3}')
  expect(recentSearches('ada', 'library')).toEqual([])
})
