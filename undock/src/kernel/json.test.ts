import { expect, test } from 'vitest'
import { JsonTooComplexError, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from './json.ts'

test('parses JSON from a client', () => {
  const value = { text: `${'[{:"\\'.repeat(40_000)}`, list: [1, null, { a: true }] }
  expect(parseJson(JSON.stringify(value))).toEqual(value)
  expect(parseJson(`${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}`)).toBeInstanceOf(Array)
})

test.each([
  ['deep lists', `${'['.repeat(MAX_JSON_DEPTH + 1)}${']'.repeat(MAX_JSON_DEPTH + 1)}`],
  ['deep objects', '{"a":'.repeat(500_000)],
  ['many objects', `[${'{},'.repeat(MAX_JSON_VALUES)}{}]`],
  ['many names', `{${'"":1,'.repeat(MAX_JSON_VALUES)}"":1}`],
])('rejects %s', (_name, text) => {
  expect(() => parseJson(text)).toThrow(JsonTooComplexError)
})

test('invalid JSON is a syntax error', () => {
  expect(() => parseJson(`"${'x'.repeat(2_000)}`)).toThrow(SyntaxError)
})
