import { expect, test } from 'vitest'
import { newCondition } from './draft.ts'
import type { Names, Rule } from './rule.ts'
import { formOf, ruleOf } from './rule-form.ts'

const NAMES: Names = {
  collections: [{ id: 'bills', name: 'Bills' }],
  tags: [{ id: 'pay', name: 'To pay' }],
  people: [],
  fields: [{ id: 'sum', collection_id: 'bills', name: 'Sum', kind: 'number', takes_several: false, options: [] }],
}
const RULE: Rule = {
  id: 'rule',
  name: 'Bills',
  is_on: false,
  on_added: true,
  on_moved: true,
  collection_id: 'bills',
  includes_inside: false,
  conditions: [{ on: 'field', field: 'sum', from: 1, to: 5 }],
  actions: [{ do: 'tag', tag: 'pay' }],
  problem: null,
}

test('a rule is unchanged after opening and saving its form, and stays off', () => {
  const { problem: _, ...rule } = RULE
  expect(ruleOf(formOf(RULE, NAMES), NAMES, RULE)).toEqual(rule)
})

test('a new rule is on and applies to documents added anywhere in the library', () => {
  const form = formOf(undefined, NAMES)
  const [action] = form.actions
  if (!action) throw new Error('no action')
  expect(ruleOf({ ...form, name: ' To pay ', actions: [{ ...action, target: 'pay' }] }, NAMES, undefined)).toEqual({
    name: 'To pay',
    is_on: true,
    on_added: true,
    on_moved: false,
    collection_id: null,
    includes_inside: true,
    conditions: [],
    actions: [{ do: 'tag', tag: 'pay' }],
  })
})

test('a rule with an incomplete part cannot be saved', () => {
  const form = formOf(RULE, NAMES)
  expect(ruleOf({ ...form, conditions: [...form.conditions, newCondition()] }, NAMES, RULE)).toBeUndefined()
  expect(ruleOf(form, { ...NAMES, tags: [] }, RULE)).toBeUndefined()
})
