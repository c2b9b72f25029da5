import { expect, test } from 'vitest'
import { parseJsonc, setJsonValues } from './jsonc.ts'

test('adds a key after the last one, whose comment stays on its line', () => {
  const text = '\uFEFF{\r\n\t"api": {\r\n\t\t"port": 1 /* a */, // b\r\n\t},\r\n}\r\n'
  expect(setJsonValues(text, ['api'], { max_rows: 5 })).toBe(
    '\uFEFF{\r\n\t"api": {\r\n\t\t"port": 1 /* a */, // b\r\n\t\t"max_rows": 5,\r\n\t},\r\n}\r\n',
  )
  expect(setJsonValues('{\n  "a": 1 // one, two\n}\n', ['b'], { c: ['x'] })).toBe(
    '{\n  "a": 1, // one, two\n  "b": {\n    "c": [\n      "x"\n    ]\n  }\n}\n',
  )
})

test('adds a table after one that is written on a line', () => {
  const text = '{\n  "api": { "port": 1 }, // end\n  /* more */\n}\n'
  const edited = setJsonValues(text, ['auth', 'email'], { enable_signup: false })
  expect(parseJsonc(edited ?? '')).toEqual({ api: { port: 1 }, auth: { email: { enable_signup: false } } })
  expect(edited).toContain('{ "port": 1 }, // end\n')
  expect(setJsonValues(text, ['api'], { max_rows: 5 })).toContain('"api": { "port": 1, "max_rows": 5 }, // end\n')
})

test('replaces a value only', () => {
  const text = '{\n  "api": { "port": 1 /* why */, "schemas": [] }\n}\n'
  expect(setJsonValues(text, ['api'], { port: 2 })).toBe(text.replace('1', '2'))
})

test('removes a key with its line, and keeps the comments of others', () => {
  const text = '{\n  "api": {\n    "port": 1, // port\n    // rows\n    "max_rows": 5 // five\n  }\n}\n'
  expect(setJsonValues(text, ['api'], { max_rows: null })).toBe(
    '{\n  "api": {\n    "port": 1 // port\n    // rows\n  }\n}\n',
  )
  expect(setJsonValues(text, ['api'], { port: null })).toBe(
    '{\n  "api": {\n    // rows\n    "max_rows": 5 // five\n  }\n}\n',
  )
  expect(setJsonValues('{ "a": 1, "b": 2 }', [], { b: null })).toBe('{ "a": 1 }')
  expect(setJsonValues(text, ['auth'], { site_url: null })).toBe(text)
})

test('starts a document that is empty or has only comments', () => {
  expect(setJsonValues('', ['api'], { port: 1 })).toBe('{\n  "api": {\n    "port": 1\n  }\n}\n')
  expect(setJsonValues('// mine\n', [], { a: 1 })).toBe('// mine\n{\n  "a": 1\n}\n')
})

test.each([
  '{ "api": 5 }',
  '{ "api": { "port": 1 }, "api": { "max_rows": 2 } }',
  '{ "api": { "port": 1, "port": 2 } }',
])("doesn't edit %s", (text) => {
  expect(setJsonValues(text, ['api'], { port: 3 })).toBeNull()
})
