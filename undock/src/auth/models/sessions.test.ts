import { expect, test } from 'vitest'
import { sessionFault } from './sessions.ts'

const now = new Date('2026-11-21T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

test.each([
  ['young', { created_at: ago(10) }, null],
  ['past its end', { created_at: ago(10), not_after: ago(1) }, 'expired'],
  ['past its timebox', { created_at: ago(101) }, 'expired'],
  ['long unused', { created_at: ago(60) }, 'inactive'],
  ['refreshed', { created_at: ago(60), refreshed_at: ago(5) }, null],
] as const)('a session that is %s', (_name, given, expected) => {
  const session = { not_after: null, refreshed_at: null, ...given }
  expect(sessionFault(session, { timebox: 100, inactivity_timeout: 50 }, now)).toBe(expected)
})
