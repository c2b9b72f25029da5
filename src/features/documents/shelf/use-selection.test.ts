import { expect, test } from 'vitest'
import { toggled } from './use-selection.ts'

const ORDER = ['a', 'b', 'c', 'd']
test.each([
  ['select one', [], 'b', undefined, ['b']],
  ['deselect one', ['b', 'c'], 'b', undefined, ['c']],
  ['select a range downwards', ['a'], 'c', 'a', ['a', 'b', 'c']],
  ['select a range upwards', ['d'], 'b', 'd', ['b', 'c', 'd']],
  ['deselect a range', ORDER, 'd', 'b', ['a']],
  ['a range from an item that has left the list', ['a'], 'c', 'gone', ['a', 'c']],
] as const)('%s', (_name, chosen, id, from, expected) => {
  expect([...toggled(new Set(chosen), ORDER, id, from)].toSorted()).toEqual(expected)
})
