import { expect, test } from 'vitest'
import { clustersOf } from './clusters.ts'

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)
const star = (prefix: string, count: number) =>
  names(prefix, count)
    .slice(1)
    .map((from) => ({ from, to: `${prefix}0` }))

test('groups closely related tables, without merging clusters over a single relation', () => {
  const members = [...names('a', 6), ...names('b', 4), 'alone']
  const ties = [...star('a', 6), ...star('b', 4), { from: 'a0', to: 'b0' }, { from: 'alone', to: 'alone' }]
  expect(clustersOf(members, ties).map((cluster) => cluster.sort())).toEqual([names('a', 6), names('b', 4), ['alone']])
})

test('limits the size of clusters', () => {
  // Like in most applications, everything refers to the users.
  const members = ['users', ...names('a', 20), ...names('b', 20)]
  const ties = [
    ...members.slice(1).map((from) => ({ from, to: 'users' })),
    ...star('a', 20),
    ...star('b', 20),
    ...names('a', 19).map((from, n) => ({ from, to: `a${n + 1}` })),
    ...names('b', 19).map((from, n) => ({ from, to: `b${n + 1}` })),
  ]
  const clusters = clustersOf(members, ties)
  expect(clusters.flat().sort()).toEqual([...members].sort())
  expect(Math.max(...clusters.map(({ length }) => length))).toBeLessThanOrEqual(12)
  expect(clusters.length).toBeLessThan(10)
})

test('returns no clusters without tables', () => {
  expect(clustersOf([], [])).toEqual([])
})
