import { expect, test } from 'vitest'
import { fromClipboard, toClipboard } from './clipboard.ts'

test.each([
  [
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'a\tb\nc\td',
  ],
  [[['tab\there', 'line\nbreak', 'a "word"']], '"tab\there"\t"line\nbreak"\t"a ""word"""'],
  [[['', 'x']], '\tx'],
])('cells %j are copied as a spreadsheet does, and read again', (rows, text) => {
  expect(toClipboard(rows)).toBe(text)
  expect(fromClipboard(text)).toEqual(rows)
})

test('lines of Windows and a line break at the end are read', () => {
  expect(fromClipboard('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})
