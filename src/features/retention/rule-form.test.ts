import { expect, test } from 'vitest'
import type { RuleTerms } from './mutations.ts'
import type { Rule } from './queries.ts'
import { formOf, toTerms } from './rule-form.ts'

const TERMS: RuleTerms = {
  trash_after: 5,
  trash_unit: 'month',
  basis: 'changed',
  field_id: null,
  trash_days: 60,
  keep_years: 3,
}

test.each([
  ['counted from the last change', TERMS],
  ['counted from the date in a field', { ...TERMS, basis: 'field', field_id: 'ends' }],
  ['that only retains', { ...TERMS, trash_after: null }],
  ['that only moves', { ...TERMS, keep_years: null }],
] as const)('a rule %s is unchanged after opening and saving its form', (_, terms) => {
  expect(toTerms(formOf(terms as RuleTerms as Rule))).toEqual(terms)
})

test('a new rule moves documents to the trash after seven years', () => {
  expect(toTerms(formOf(undefined))).toEqual({
    trash_after: 7,
    trash_unit: 'year',
    basis: 'added',
    field_id: null,
    trash_days: 30,
    keep_years: null,
  })
})
