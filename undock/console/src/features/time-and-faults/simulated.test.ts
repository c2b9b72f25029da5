import { expect, test } from 'vitest'
import { simulated, spanText } from './simulated.ts'

test.each([
  [500, '1 second'],
  [90_000, '1 minute 30 seconds'],
  [-3_600_000, '1 hour'],
  [86_400_000 * 30 + 5_000, '30 days 5 seconds'],
  [86_400_000 + 3_600_000 + 60_000, '1 day 1 hour'],
])('formats %d milliseconds as %s', (milliseconds, text) => {
  expect(spanText(milliseconds)).toBe(text)
})

test('describes each simulation in one sentence', () => {
  const none = { isOffline: false, delays: {}, failures: {} }
  expect(simulated(undefined, undefined)).toEqual([])
  expect(simulated({ now: '', offset: 0 }, none)).toEqual([])
  const failures = { auth: { status: 503, times: null }, rest: { status: 500, times: 2 } }
  expect(simulated({ now: '', offset: -60_000 }, { isOffline: true, delays: { rest: 200 }, failures })).toEqual([
    'The clock is 1 minute behind.',
    'The API is offline.',
    'auth fails with 503.',
    'rest fails with 500, 2 more times.',
    'rest answers 200 ms later.',
  ])
})
