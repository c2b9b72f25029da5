import { expect, test } from 'vitest'
import { formatCondition } from '../../domain/field-conditions.ts'
import { actionOf, conditionOf, draftOfAction, draftOfCondition, newAction, newCondition } from './draft.ts'
import type { Names, RuleAction, RuleCondition } from './rule.ts'

const NAMES: Names = {
  collections: [{ id: 'bills', name: 'Bills' }],
  tags: [{ id: 'pay', name: 'To pay' }],
  people: [{ id: 'ada', name: 'Ada' }],
  fields: [
    { id: 'sum', collection_id: 'bills', name: 'Sum', kind: 'number', takes_several: false, options: [] },
    {
      id: 'state',
      collection_id: 'bills',
      name: 'State',
      kind: 'choice',
      takes_several: false,
      options: [{ id: 'open', name: 'Open', color: 'green' }],
    },
  ],
}
const format = ({ on, field: id, ...asked }: Extract<RuleCondition, { on: 'field' }>) => {
  const field = NAMES.fields.find((one) => one.id === id)
  return field ? formatCondition(asked, field, NAMES.people) : ''
}

test.each<RuleCondition>([
  { on: 'title', value: 'invoice' },
  { on: 'type', value: 'pdf' },
  { on: 'field', field: 'sum', above: 100 },
  { on: 'field', field: 'sum', from: 1, to: 5 },
  { on: 'field', field: 'sum', empty: true },
  { on: 'field', field: 'state', any: ['open'] },
  { on: 'field', field: 'state', empty: true },
])('a condition is the same after it was edited: %j', (condition) => {
  expect(conditionOf(draftOfCondition(condition, format), NAMES)).toEqual(condition)
})

test.each<RuleAction>([
  { do: 'tag', tag: 'pay' },
  { do: 'move', collection: 'bills' },
  { do: 'set', field: 'sum', value: 7 },
  { do: 'set', field: 'state', value: ['open'] },
  { do: 'tell', everybody: true },
  { do: 'tell', people: ['ada'] },
])('an action is the same after it was edited: %j', (action) => {
  expect(actionOf(draftOfAction(action), NAMES)).toEqual(action)
})

test('missing, invalid and deleted values make a part incomplete', () => {
  expect(conditionOf(newCondition(), NAMES)).toBeUndefined()
  expect(conditionOf({ ...newCondition(), on: 'field', field: 'sum', value: 'many' }, NAMES)).toBeUndefined()
  expect(conditionOf({ ...newCondition(), on: 'field', field: 'gone', value: '1' }, NAMES)).toBeUndefined()
  expect(actionOf(newAction(), NAMES)).toBeUndefined()
  expect(actionOf({ ...newAction(), target: 'gone' }, NAMES)).toBeUndefined()
  expect(actionOf({ ...newAction(), do: 'set', target: 'sum' }, NAMES)).toBeUndefined()
  expect(actionOf({ ...newAction(), do: 'tell', everybody: false }, NAMES)).toBeUndefined()
})
