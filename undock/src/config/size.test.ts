import { expect, test } from 'vitest'
import { parseSize } from './size.ts'

test.each([
  ['50MiB', 52_428_800],
  ['5MB', 5_242_880],
  ['20 mb', 20_971_520],
  ['500KB', 512_000],
  ['1.5g', 1_610_612_736],
  ['1024', 1024],
  ['0', 0],
  ['12b', 12],
])('%s is %d bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes))

test.each(['', 'MB', '-1MB', '5 apples', '1e3', '5MBB', '5  MB'])('%j is no size', (text) =>
  expect(parseSize(text)).toBeUndefined(),
)
