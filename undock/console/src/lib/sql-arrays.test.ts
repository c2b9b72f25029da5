import { expect, test } from 'vitest'
import { arrayLiteral, readArray } from './sql.ts'

test.each([
  [['a', 'b c', null, 'NULL', ''], '{"a","b c",NULL,"NULL",""}'],
  [['say "hi"', 'back\\slash', '{1,2}'], '{"say \\"hi\\"","back\\\\slash","{1,2}"}'],
  [
    [
      ['1', '2'],
      ['3', null],
    ],
    '{{"1","2"},{"3",NULL}}',
  ],
  [[], '{}'],
])('the items %j become an array of Postgres, and are read again', (items, text) => {
  expect(arrayLiteral(items)).toBe(text)
  expect(readArray(text)).toEqual(items)
})

test('what is no array is none', () => {
  expect(readArray('text')).toBeNull()
})
