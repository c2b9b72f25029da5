import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

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

test.each(['', '5', 's', '1 s', '1d', '1s2', 'env(TIMEOUT)', '1s\n', '--1s'])('%j is no duration', (text) =>
  expect(parseDuration(text)).toBeUndefined(),
)
