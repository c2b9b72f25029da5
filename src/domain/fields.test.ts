import { expect, test } from 'vitest'
import { fieldSort } from './field-sort.ts'
import { parseNumber, valuesOf, withValue } from './fields.ts'

const YEAR = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001', kind: 'number' } as const
const STATE = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002', kind: 'choice' } as const

test('setting a field replaces its values, and null removes them', () => {
  const both = withValue(withValue([], YEAR, 0), STATE, ['a', 'b'])
  expect(valuesOf(both, YEAR.id)).toEqual([0])
  expect(valuesOf(both, STATE.id)).toEqual(['a', 'b'])
  expect(valuesOf(withValue(both, STATE, ['c']), STATE.id)).toEqual(['c'])
  expect(withValue(both, STATE, null)).toEqual(withValue([], YEAR, 0))
})

test.each([
  ['1912', 1912],
  [' -2,5 ', -2.5],
  ['1e3', 1000],
  ['0', 0],
  ['', undefined],
  ['1,000.5', undefined],
  ['Infinity', undefined],
  ['1e16', undefined],
])('%j parses as the number %s', (text, number) => expect(parseNumber(text)).toBe(number))

test('sorting by a field names the field, with a minus for descending', () => {
  expect(fieldSort(YEAR.id)).toEqual({ field: YEAR.id, descending: false })
  expect(fieldSort(`-${YEAR.id}`)).toEqual({ field: YEAR.id, descending: true })
  expect(fieldSort('newest')).toBeUndefined()
})
