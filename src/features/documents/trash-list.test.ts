import { expect, test } from 'vitest'
import { daysLeft } from './trash-list.tsx'

const NOON = Date.parse('2026-03-31T12:00:00Z')
test.each([
  ['2026-03-31T12:00:00Z', 30],
  ['2026-03-02T12:00:00Z', 1],
  ['2026-03-01T12:00:00Z', 0],
  ['2025-03-01T12:00:00Z', 0],
])('deleted at %s: %d days left', (deleted, days) => {
  expect(daysLeft(deleted, NOON)).toBe(days)
})
