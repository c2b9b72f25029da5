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
])('writes and reads the items %j as a Postgres array', (items, text) => {
  expect(arrayLiteral(items)).toBe(text)
  expect(readArray(text)).toEqual(items)
})

test("rejects text that isn't an array", () => {
  expect(readArray('text')).toBeNull()
})
