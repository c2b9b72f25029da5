import { expect, test } from 'vitest'
import type { Field } from '../../../domain/fields.ts'
import type { Card } from '../card.ts'
import { boardColumns, valueAfterMove } from './board-columns.ts'

const field: Field = {
  id: 'f',
  collection_id: 'c',
  name: 'State',
  kind: 'choice',
  takes_several: true,
  options: [
    { id: 'open', name: 'Open', color: 'blue' },
    { id: 'done', name: 'Done', color: 'green' },
  ],
}
const withNothing = { text_value: null, number_value: null, date_value: null, person_id: null, option_id: null }
const card = (id: string, ...options: string[]): Pick<Card, 'id' | 'values'> => ({
  id,
  values: options.map((option_id) => ({ ...withNothing, field_id: 'f', option_id })),
})
const shown = (one: Field, ...cards: Pick<Card, 'id' | 'values'>[]) =>
  boardColumns(one, [{ id: 'ada', name: 'Ada' }], cards).map(({ name, cards }) => [name, cards.map(({ id }) => id)])

test('documents are in the columns of their values, or in the first one without a value', () => {
  expect(shown(field, card('1', 'done'), card('2'), card('3', 'open', 'done'))).toEqual([
    ['No value', ['2']],
    ['Open', ['3']],
    ['Done', ['1', '3']],
  ])
})

test('values of a former member have a column', () => {
  const people = { ...field, kind: 'person' as const }
  const values = [{ ...withNothing, field_id: 'f', person_id: 'gone' }]
  expect(shown(people, { id: '1', values })).toEqual([
    ['No value', []],
    ['Ada', []],
    ['Former member', ['1']],
  ])
})

test.each([
  ['a single value is replaced', false, ['open'], 'open', 'done', ['done']],
  ['a single value is removed', false, ['open'], 'open', null, null],
  ['one of several values is replaced', true, ['open', 'late'], 'open', 'done', ['late', 'done']],
  ['a value that already exists is not duplicated', true, ['open', 'done'], 'open', 'done', ['done']],
  ['removing one of several values clears the field', true, ['open', 'late'], 'open', null, null],
])('%s', (_, takes_several, values, from, to, expected) => {
  expect(valueAfterMove({ ...field, takes_several }, card('1', ...values), from, to)).toEqual(expected)
})
