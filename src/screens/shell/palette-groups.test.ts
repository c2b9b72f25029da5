// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { paletteGroups, paletteSearches } from './palette-groups.ts'

const document = (id: string) => ({ id, title: `Title of ${id}`, kind: 'note', mime_type: null })
const facts = {
  libraries: [{ id: 'l', name: 'Lighthouses' }],
  opened: ['a', 'b'].map((id) => ({ ...document(id), library_id: 'l', library_name: 'Lighthouses', document_id: id })),
  favorites: [],
  isFavorite: (id: string) => id === 'a',
  recent: [],
  here: [document('c')],
  found: undefined,
  titles: [document('a'), document('b')],
  passages: [],
  members: [{ user_id: 'ada', profile: { display_name: 'Ada' } }],
}
const actsOf = () => ({
  go: vi.fn(async () => {}),
  search: vi.fn(),
  searchEverywhere: vi.fn(),
  star: vi.fn(),
  signOut: vi.fn(),
  showShortcuts: vi.fn(),
})
type Place = Parameters<typeof paletteGroups>[0]
const groups = (place: Place, more = {}) => paletteGroups(place, { ...facts, ...more }, actsOf())
const headings = (place: Place, more = {}) => groups(place, more).map(({ heading }) => heading)
const idsOf = (place: Place, heading: string, more = {}) =>
  groups(place, more)
    .find((group) => group.heading === heading)
    ?.actions.map(({ id }) => id)

test('before typing, recently opened documents come first and documents follow the commands', () => {
  expect(headings({ words: '', library: 'l' })).toEqual([
    'Opened last',
    'Favorites',
    'Passages',
    'Libraries',
    'This library',
    'Documents',
    'Settings',
  ])
})

test('typed words find documents, passages and people before commands', () => {
  const collection = { id: 'k', name: 'Logs' }
  expect(headings({ words: 'lamp', library: 'l', collection }, { recent: ['lens'] })).toEqual([
    'Favorites',
    'Recent searches',
    'In “Logs”',
    'Documents',
    'Passages',
    'People and permissions',
    'Libraries',
    'This library',
    'Settings',
  ])
})

test('outside a library the palette has no library entries', () => {
  expect(headings({ words: 'lamp' })).toEqual(['Favorites', 'Libraries', 'Settings'])
})

test.each([
  ['guest', 3, false],
  ['reader', 8, false],
  ['editor', 10, true],
] as const)('a %s is offered the pages they can open', (role, count, canWrite) => {
  const ids = idsOf({ words: '', library: 'l', role }, 'This library')
  expect(ids).toHaveLength(count)
  expect(ids?.includes('new-note')).toBe(canWrite)
})

test('locally known titles are shown until the backend has found some', () => {
  const place = { words: 'lamp', library: 'l' }
  expect(idsOf(place, 'Documents')).toEqual(['a', 'b'])
  expect(idsOf(place, 'Documents', { found: [document('c')] })).toEqual(['c'])
})

test('the open document is not listed, and can be unstarred', () => {
  const starred = { library: 'l', document: document('a') }
  const place = { words: '', library: 'l', document: 'a', starred } as Place
  expect(idsOf(place, 'Opened last')).toEqual(['opened b'])
  const [star] = groups(place).find(({ heading }) => heading === 'Favorites')?.actions ?? []
  expect(star?.label).toBe('Remove from favorites')
})

test('searches list the nearest place first', () => {
  const acts = actsOf()
  const place = { words: 'lamp', library: 'l', collection: { id: 'k', name: 'Logs' } }
  const searches = paletteSearches(place, acts)
  expect(searches.map(({ id }) => id)).toEqual(['search-collection', 'search', 'search-everywhere'])
  for (const { run } of searches) run()
  expect(acts.search.mock.calls).toEqual([
    ['l', 'lamp', 'k'],
    ['l', 'lamp'],
  ])
  expect(acts.searchEverywhere).toHaveBeenCalledWith('lamp')
  expect(paletteSearches({ words: 'lamp' }, acts)).toHaveLength(1)
})
