import { expect, test } from 'vitest'
import { FuzzySet } from './fuzzy-set.ts'

test.each([
  ['finds the nearest', ['films', 'directors', 'roles'], 'film', 'films'],
  ['ignores case', ['Films'], 'fILM', 'Films'],
  [
    'keeps commas of parameter lists',
    ['(attr, id)', '(name, param, val)'],
    '(nam, pqaram, vall)',
    '(name, param, val)',
  ],
  ['ignores distant entries', ['films'], 'noclosealternative', undefined],
  ['accepts hostile text', ['films'], '((((,,,,\u0000', undefined],
])('%s', (_name, entries, wanted, expected) => {
  expect(new FuzzySet(entries).get(wanted)[0]?.entry).toBe(expected)
})

test('an exact match scores 1, and entries below the minimum are left out', () => {
  const set = new FuzzySet(['projects', 'clients'])
  expect(set.get('clients')).toEqual([{ score: 1, entry: 'clients' }])
  expect(set.get('project', 0.75)).toEqual([{ score: 0.875, entry: 'projects' }])
  expect(set.get('proj', 0.75)).toEqual([])
})

test("doesn't compare a very long text with much shorter entries", () => {
  const name = 'a_table_of_customers_and_their_orders_by_day_and_warehouse'
  const set = new FuzzySet(Array.from({ length: 50 }, (_, index) => `${name}${index}`))
  expect(set.get(name.repeat(10_000))).toEqual([])
})
