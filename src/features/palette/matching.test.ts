import { expect, test } from 'vitest'
import { matching } from './matching.ts'

const GROUPS = [
  { heading: 'Libraries', actions: [{ label: 'My libraries' }, { label: 'Lighthouse papers' }] },
  { heading: 'Settings', actions: [{ label: 'Profile' }, { label: 'Light theme' }, { label: 'Keyboard shortcuts' }] },
]
const labels = (words: string, groups = GROUPS) =>
  matching(groups, words).map(({ heading, actions }) => [heading, ...actions.map(({ label }) => label)])

test('entries and groups that start with the words come first', () => {
  expect(labels('light')).toEqual([
    ['Libraries', 'Lighthouse papers'],
    ['Settings', 'Light theme'],
  ])
  expect(labels(' profile ')).toEqual([['Settings', 'Profile']])
  expect(labels('shortcuts')).toEqual([['Settings', 'Keyboard shortcuts']])
  expect(labels('nothing of this')).toEqual([])
})

test('without words all entries are listed, up to the limit per group', () => {
  expect(labels('').map(([heading]) => heading)).toEqual(['Libraries', 'Settings'])
  const many = [{ heading: 'Many', actions: Array.from({ length: 200 }, (_, n) => ({ label: `Lamp ${n}` })) }]
  expect(labels('', many)[0]).toHaveLength(21)
  expect(labels('lamp', many)[0]).toHaveLength(21)
  expect(labels('lamp 199', many)[0]?.[1]).toBe('Lamp 199')
})

test('found entries keep their order, and their group ranks by its best entry', () => {
  const found = (...all: string[]) => [
    ...GROUPS,
    { heading: 'Documents', actions: all.map((label) => ({ label })), isFound: true },
  ]
  expect(labels('light', found('Light', 'Moonlight'))[0]).toEqual(['Documents', 'Light', 'Moonlight'])
  expect(labels('bakcup', found('Backup'))).toEqual([['Documents', 'Backup']])
  expect(labels('profile', found('Perfiles')).map(([heading]) => heading)).toEqual(['Settings', 'Documents'])
  expect(labels('', found()).map(([heading]) => heading)).toEqual(['Libraries', 'Settings'])
  const last = [{ heading: 'Passages', actions: [{ label: 'Profile' }], isFound: true, isLast: true }, ...GROUPS]
  expect(labels('profile', last).map(([heading]) => heading)).toEqual(['Settings', 'Passages'])
})
