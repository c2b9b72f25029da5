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

test('each document stands in the columns of its values, in order, and without one in the first', () => {
  expect(shown(field, card('1', 'done'), card('2'), card('3', 'open', 'done'))).toEqual([
    ['No value', ['2']],
    ['Open', ['3']],
    ['Done', ['1', '3']],
  ])
})

test('what is assigned to somebody who has left has a column', () => {
  const people = { ...field, kind: 'person' as const }
  const values = [{ ...withNothing, field_id: 'f', person_id: 'gone' }]
  expect(shown(people, { id: '1', values })).toEqual([
    ['No value', []],
    ['Ada', []],
    ['Former member', ['1']],
  ])
})

test.each([
  ['one value is replaced', false, ['open'], 'open', 'done', ['done']],
  ['none is left', false, ['open'], 'open', null, null],
  ['of several, one is replaced', true, ['open', 'late'], 'open', 'done', ['late', 'done']],
  ['one that is there already is there once', true, ['open', 'done'], 'open', 'done', ['done']],
  ['none is left of several', true, ['open', 'late'], 'open', null, null],
])('%s', (_, takes_several, values, from, to, expected) => {
  expect(valueAfterMove({ ...field, takes_several }, card('1', ...values), from, to)).toEqual(expected)
})
