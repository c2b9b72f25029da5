import { expect, test } from 'vitest'
import { NEW_CALL, requestOf, withHeader } from './call-draft.ts'

test('a new call posts an empty object with the publishable key', () => {
  expect(requestOf('hello', NEW_CALL)).toEqual({
    path: 'hello',
    method: 'POST',
    headers: [['content-type', 'application/json']],
    body: '{}',
    as: 'anon',
  })
})

test.each([
  ['', 'hello'],
  [' a/b ', 'hello/a/b'],
  ['/a', 'hello/a'],
  ['?x=1', 'hello?x=1'],
])('normalizes the path %j to %j', (path, sent) => {
  expect(requestOf('hello', { ...NEW_CALL, path }).path).toBe(sent)
})

test('sends no body for methods without one, and no headers without a name', () => {
  const headers = withHeader(withHeader([]))
  expect(headers.map(({ id }) => id)).toEqual([1, 2])
  const named = headers.map((one) => (one.id === 2 ? { ...one, name: ' x-one ', value: ' 1 ' } : one))
  expect(requestOf('hello', { ...NEW_CALL, method: 'GET', headers: named })).toMatchObject({
    body: null,
    headers: [['x-one', ' 1 ']],
  })
})
