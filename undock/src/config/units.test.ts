import { expect, test } from 'vitest'
import { parseDuration, parseSize } from './units.ts'

test.each([
  ['1s', 1],
  ['5m', 300],
  ['24h', 86_400],
  ['1h30m', 5400],
  ['1.5h', 5400],
  ['.5s', 0.5],
  ['250ms', 0.25],
  ['10us', 1e-5],
  ['10µs', 1e-5],
  ['-2s', -2],
  ['0', 0],
  ['0s', 0],
])('%s is %d seconds', (text, seconds) => expect(parseDuration(text)).toBeCloseTo(seconds, 12))

test.each(['', '5', 's', '1 s', '1d', '1s2', 'env(TIMEOUT)', '1s\n', '--1s'])('%j is not a duration', (text) =>
  expect(parseDuration(text)).toBeUndefined(),
)

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

test.each(['', 'MB', '-1MB', '5 apples', '1e3', '5MBB', '5  MB'])('%j is not a size', (text) =>
  expect(parseSize(text)).toBeUndefined(),
)
