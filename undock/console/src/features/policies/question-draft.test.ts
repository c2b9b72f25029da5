import { expect, test } from 'vitest'
import { draftOf, partsOf, questionOf, withAction } from './question-draft.ts'

const draft = { action: 'update', target: ' public.notes ', where: ' id = 1 ', row: '{"a": 1}', isReturning: true }
const asked = { as: 'anon', target: 'public.notes', where: undefined, row: undefined, returning: undefined }

test.each([
  ['select', { where: 'id = 1' }],
  ['insert', { row: '{"a": 1}', returning: true }],
  ['update', { where: 'id = 1', row: '{"a": 1}', returning: true }],
  ['delete', { where: 'id = 1', returning: true }],
  ['download', {}],
  ['upload', { row: '{"a": 1}' }],
  ['listen', {}],
  ['send', { row: '{"a": 1}' }],
])('a question about %s has its parts', (action, parts) => {
  expect(questionOf('anon', { ...draft, action })).toEqual({ ...asked, action, ...parts })
})

test('another kind of action clears the target', () => {
  expect(withAction(draft, 'delete')).toEqual({ ...draft, action: 'delete' })
  expect(withAction(draft, 'upload')).toEqual({ ...draft, action: 'upload', target: '', row: '' })
  expect(['select', 'upload', 'send', 'nonsense'].map((action) => partsOf(action).target.label)).toEqual([
    'Table or view',
    'Bucket and path',
    'Topic',
    'Table or view',
  ])
})

test('requires a target, and values as a JSON object', () => {
  const empty = draftOf({})
  expect(questionOf('anon', empty)).toBe(null)
  expect(questionOf('anon', { ...draft, row: '' })?.row).toBe(undefined)
  expect(() => questionOf('anon', { ...draft, row: '[1]' })).toThrow()
})
