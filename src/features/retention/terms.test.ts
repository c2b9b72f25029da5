import { expect, test } from 'vitest'
import { termsOf } from './terms.ts'

const RULE = {
  trash_after: 7,
  trash_unit: 'year',
  basis: 'added',
  field: null,
  trash_days: 30,
  keep_years: null,
} as const

test.each([
  [{}, 'Moved to the trash 7 years after a document was added.'],
  [{ trash_after: 1, trash_unit: 'day', basis: 'changed' }, 'Moved to the trash 1 day after a document’s last change.'],
  [
    { trash_unit: 'month', basis: 'field', field: { name: 'Ends' } },
    'Moved to the trash 7 months after the date in “Ends”.',
  ],
  [{ basis: 'field' }, 'Never moved to the trash: the field with the date was deleted.'],
])('a rule that moves documents: %j', (change, sentence) => {
  expect(termsOf({ ...RULE, ...change })).toEqual([sentence, 'In the trash: kept for 30 days.'])
})

test('a rule that retains documents', () => {
  expect(termsOf({ ...RULE, trash_after: null, trash_days: 365, keep_years: 10 })).toEqual([
    'In the trash: kept for 365 days.',
    'Can’t be permanently deleted in the first 10 years.',
  ])
})
