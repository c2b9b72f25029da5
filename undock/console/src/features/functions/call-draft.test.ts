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
])('the path %j becomes %j', (path, sent) => {
  expect(requestOf('hello', { ...NEW_CALL, path }).path).toBe(sent)
})

test('a method without a body sends none, and a header without a name is not sent', () => {
  const headers = withHeader(withHeader([]))
  expect(headers.map(({ id }) => id)).toEqual([1, 2])
  const named = headers.map((one) => (one.id === 2 ? { ...one, name: ' x-one ', value: ' 1 ' } : one))
  expect(requestOf('hello', { ...NEW_CALL, method: 'GET', headers: named })).toMatchObject({
    body: null,
    headers: [['x-one', ' 1 ']],
  })
})
