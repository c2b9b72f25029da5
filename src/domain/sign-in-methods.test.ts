import { expect, test, vi } from 'vitest'

vi.mock('../lib/backend/env.ts', () => ({ env: { supabaseUrl: 'http://x', publishableKey: 'k' } }))
const { canHavePasskeys, isProvider } = await import('./sign-in-methods.ts')

test.each([
  ['localhost', true],
  ['carrel.example.org', true],
  ['127.0.0.1', false],
  ['[::1]', false],
])('a passkey for %s: %j', (hostname, possible) => {
  expect(canHavePasskeys(hostname)).toBe(possible)
})

test.each([
  ['google', true],
  ['email', false],
  ['toString', false],
])('%s is a provider: %j', (name, known) => {
  expect(isProvider(name)).toBe(known)
})
