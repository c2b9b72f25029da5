import { expect, test } from 'vitest'
import { daysLeft } from './trash-list.tsx'

const NOON = Date.parse('2026-03-31T12:00:00Z')
test.each([
  ['2026-04-30T12:00:00Z', 30],
  ['2026-04-01T11:00:00Z', 1],
  ['2026-03-31T12:00:00Z', 0],
  ['2025-03-31T12:00:00Z', 0],
])('deleted at %s: %d days left', (gone, days) => {
  expect(daysLeft(gone, NOON)).toBe(days)
})
