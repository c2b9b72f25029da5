import { expect, test } from 'vitest'
import { nextTime, parseSchedule } from './schedule.ts'

test.each([
  ['* * * * *', '2026-03-01T10:20:30Z', '2026-03-01T10:21:00Z'],
  ['*/15 * * * *', '2026-03-01T10:20:30Z', '2026-03-01T10:30:00Z'],
  ['0 3 * * *', '2026-03-01T03:00:00Z', '2026-03-02T03:00:00Z'],
  ['30 8-17/3 * * mon-fri', '2026-03-06T17:31:00Z', '2026-03-09T08:30:00Z'],
  ['0 0 29 feb *', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 $ * *', '2026-02-10T00:00:00Z', '2026-02-28T00:00:00Z'],
  ['0 0 13 * 5', '2026-03-07T00:00:00Z', '2026-03-13T00:00:00Z'],
  ['0 12 1 * 7', '2026-03-02T00:00:00Z', '2026-03-08T12:00:00Z'],
  ['5,10 0 1 1 *', '2026-01-01T00:05:00Z', '2026-01-01T00:10:00Z'],
  ['@hourly', '2026-03-01T10:20:30Z', '2026-03-01T11:00:00Z'],
  ['30 seconds', '2026-03-01T10:20:30Z', '2026-03-01T10:21:00Z'],
  ['30 seconds', '2026-03-01T10:20:41Z', '2026-03-01T10:21:00Z'],
])('%s after %s', (text, after, expected) => {
  const schedule = parseSchedule(text)
  expect(schedule && nextTime(schedule, new Date(after))).toEqual(new Date(expected))
})

test.each([
  '',
  '* * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '*/0 * * * *',
  '5-1 * * * *',
  'a b c d e',
  '60 seconds',
  '1e1 * * * *',
  'constructor',
])('%j is not a schedule', (text) => expect(parseSchedule(text)).toBeNull())

test('a day that never occurs has no next time', () => {
  const schedule = parseSchedule('0 0 31 2 *')
  expect(schedule && nextTime(schedule, new Date('2026-01-01T00:00:00Z'))).toBeNull()
})
