import { expect, test } from 'vitest'
import { formatBytes, formatRelativeTime } from './format.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1024, '1 KB'],
  [999, '999 bytes'],
  [1536, '1.5 KB'],
  [52_428_800, '50 MB'],
  [123_456_789, '118 MB'],
  [5_000_000_000_000, '4,657 GB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

const NOON = Date.parse('2026-03-01T12:00:00Z')
test.each([
  ['2026-03-01T11:59:30Z', 'now'],
  ['2026-03-01T11:58:00Z', '2 minutes ago'],
  ['2026-03-01T12:59:59Z', 'in 59 minutes'],
  ['2026-02-28T12:00:00Z', 'yesterday'],
  ['2025-03-01T12:00:00Z', 'last year'],
])('%s is %s', (moment, text) => {
  expect(formatRelativeTime(moment, NOON)).toBe(text)
})
