import { expect, test } from 'vitest'
import { toggled } from './use-selection.ts'

const ORDER = ['a', 'b', 'c', 'd']
test.each([
  ['one on', [], 'b', undefined, ['b']],
  ['one off', ['b', 'c'], 'b', undefined, ['c']],
  ['a range down', ['a'], 'c', 'a', ['a', 'b', 'c']],
  ['a range up', ['d'], 'b', 'd', ['b', 'c', 'd']],
  ['a range off', ORDER, 'd', 'b', ['a']],
  ['from what has left the list', ['a'], 'c', 'gone', ['a', 'c']],
] as const)('%s', (_name, chosen, id, from, expected) => {
  expect([...toggled(new Set(chosen), ORDER, id, from)].toSorted()).toEqual(expected)
})
