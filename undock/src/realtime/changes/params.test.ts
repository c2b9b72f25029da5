import { describe, expect, test } from 'vitest'
import { bindingId, parseChangeParams, parseFilters, SubscriptionError } from './params.ts'

const filter = (column: string, operator: string, value: string, negate = false) => ({
  column,
  operator,
  value,
  negate,
})

describe('parseFilters', () => {
  test.each([
    ['id=eq.1', [filter('id', 'eq', '1')]],
    ['', []],
    ['  ', []],
    ['a=gt.0,b=lt.9', [filter('a', 'gt', '0'), filter('b', 'lt', '9')]],
    ['name=in.(a,"b,c",d)', [filter('name', 'in', '{a,"b,c",d}')]],
    ['name=not.like.a%', [filter('name', 'like', 'a%', true)]],
    ['name=eq."a,\\"b"', [filter('name', 'eq', 'a,"b')]],
    ['name=eq.a.b=c', [filter('name', 'eq', 'a.b=c')]],
    ['name=eq.a"b,id=eq.1', [filter('name', 'eq', 'a"b'), filter('id', 'eq', '1')]],
    ["name=eq.'; drop table x --", [filter('name', 'eq', "'; drop table x --")]],
  ])('%s', (text, expected) => {
    expect(parseFilters(text)).toEqual(expected)
  })

  test.each([
    ['undefined', 'Error parsing `filter` params: ["undefined"]'],
    ['subject=foo.hey', 'Error parsing `filter` params: ["foo", "hey"]'],
    ['id=eq', 'Error parsing `filter` params: ["eq"]'],
    ['id=in.1,2', 'Error parsing `filter` params: `in` filter value must be wrapped by parentheses'],
    ['id=eq.1,', 'Error parsing `filter` params: filter must not contain empty segments (check for extra commas)'],
  ])('rejects %s', (text, message) => {
    expect(() => parseFilters(text)).toThrow(new SubscriptionError(message))
  })
})

describe('parseChangeParams', () => {
  const all = { action: '*', schema: 'public', table: '*', filters: [], columns: null }
  test.each([
    [{ schema: 'public' }, all],
    [
      { event: 'insert', table: 't' },
      { ...all, action: 'INSERT', table: 't' },
    ],
    [
      { event: 'TRUNCATE', schema: 'public', table: 't' },
      { ...all, table: 't' },
    ],
    [
      { schema: 's', table: 't', select: ['a', 1] },
      { ...all, schema: 's', table: 't', columns: ['a'] },
    ],
  ])('%j', (binding, expected) => {
    expect(parseChangeParams(binding)).toEqual(expected)
  })

  test.each([
    [{}, /^No subscription params provided\. Please provide at least a `schema` or `table` to subscribe to: \{\}$/],
    [{ user_token: 'secret' }, /to subscribe to: <redacted>$/],
    [{ schema: 'public', select: ['a'] }, /^Column selection is not supported for wildcard subscriptions/],
    [{ schema: 'public', table: 't', select: 'a' }, /^Error parsing `select` params/],
    [{ schema: 'public', table: 't', filter: 5 }, /^No subscription params provided/],
  ])('rejects %j', (binding, message) => {
    expect(() => parseChangeParams(binding)).toThrow(message)
  })
})

test('the same binding has the same id in any field order', () => {
  expect(bindingId({ event: '*', schema: 'public' })).toBe(bindingId({ schema: 'public', event: '*' }))
  expect(bindingId({ event: '*' })).not.toBe(bindingId({ event: 'INSERT' }))
})
