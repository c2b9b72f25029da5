import { expect, test } from 'vitest'
import { verificationState } from './validity.ts'

const NOON = new Date(2026, 2, 5, 12).getTime()

test.each([
  ['2026-03-04', 'expired'],
  ['2026-03-05', 'due'],
  ['2026-03-19', 'due'],
  ['2026-03-20', 'valid'],
])('on 5 March 2026 a document verified until %s is %s', (until, state) => {
  expect(verificationState(until, NOON)).toBe(state)
})
