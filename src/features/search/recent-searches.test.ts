// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest'
import { runSignOutCleanup } from '../../lib/session/sign-out-cleanup.ts'
import { forgetSearches, recentSearches, rememberSearch } from './recent-searches.ts'

beforeEach(() => runSignOutCleanup())

test('the latest eight searches are kept, newest first, without duplicates in any case', () => {
  for (const words of ['lamp', 'keeper', ' Lamp ', '', '  ']) rememberSearch('ada', 'library', words)
  expect(recentSearches('ada', 'library')).toEqual(['Lamp', 'keeper'])
  for (let n = 0; n < 12; n += 1) rememberSearch('ada', 'library', `search ${n}`)
  expect(recentSearches('ada', 'library')).toHaveLength(8)
  expect(recentSearches('ada', 'library')[0]).toBe('search 11')
})

test('recent searches belong to one place and one user', () => {
  rememberSearch('ada', 'library', 'lamp')
  expect(recentSearches('ada', 'other')).toEqual([])
  expect(recentSearches('mary', 'library')).toEqual([])
  rememberSearch('mary', 'library', 'keeper')
  expect(recentSearches('ada', 'library')).toEqual([])
})

test('recent searches can be cleared, and signing out clears them', () => {
  rememberSearch('ada', 'library', 'lamp')
  rememberSearch('ada', 'other', 'keeper')
  forgetSearches('ada', 'library')
  expect(recentSearches('ada', 'library')).toEqual([])
  expect(recentSearches('ada', 'other')).toEqual(['keeper'])
  runSignOutCleanup()
  expect(recentSearches('ada', 'other')).toEqual([])
  expect(localStorage.getItem('carrel.recent-searches')).toBeNull()
})

test('changes in other tabs apply, and damaged data is ignored', () => {
  const tell = (newValue: string) =>
    dispatchEvent(new StorageEvent('storage', { key: 'carrel.recent-searches', newValue }))
  tell(JSON.stringify({ person: 'ada', places: { library: ['lens'] } }))
  expect(recentSearches('ada', 'library')).toEqual(['lens'])
  tell('{"person": 3}')
  expect(recentSearches('ada', 'library')).toEqual([])
})
