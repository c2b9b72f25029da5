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
])('copies cells %j like a spreadsheet and reads them back', (rows, text) => {
  expect(toClipboard(rows)).toBe(text)
  expect(fromClipboard(text)).toEqual(rows)
})

test('reads CRLF lines and a trailing line break', () => {
  expect(fromClipboard('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})
