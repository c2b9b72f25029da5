import { expect, test } from 'vitest'
import { expiryText, isLive, verificationState } from './validity.ts'

const NOON = new Date(2026, 2, 5, 12).getTime()

test.each([
  ['2026-03-04', 'expired'],
  ['2026-03-05', 'due'],
  ['2026-03-19', 'due'],
  ['2026-03-20', 'valid'],
])('on 5 March 2026 a document verified until %s is %s', (until, state) => {
  expect(verificationState(until, NOON)).toBe(state)
})

test.each([
  [{ expires_at: null, revoked_at: null }, true, 'works until it is revoked'],
  [{ expires_at: '2999-01-02T12:00:00Z', revoked_at: null }, true, 'works until Jan 2, 2999'],
  [{ expires_at: '2020-01-02T12:00:00Z', revoked_at: null }, false, 'expired on Jan 2, 2020'],
  [{ expires_at: '2999-01-02T12:00:00Z', revoked_at: '2020-01-02T12:00:00Z' }, false, 'revoked on Jan 2, 2020'],
])('%j works: %s, “%s”', (one, works, text) => {
  expect([isLive(one), expiryText(one)]).toEqual([works, text])
})
