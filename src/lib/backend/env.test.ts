import { expect, test } from 'vitest'
import { parseEnv } from './env.ts'

test('the trailing slash of the URL is removed', () => {
  expect(parseEnv({ VITE_SUPABASE_URL: 'http://127.0.0.1:54321/', VITE_SUPABASE_PUBLISHABLE_KEY: 'key' })).toEqual({
    supabaseUrl: 'http://127.0.0.1:54321',
    publishableKey: 'key',
  })
})

test('the error names every missing or invalid setting', () => {
  expect(() => parseEnv({ VITE_SUPABASE_URL: 'not an address' })).toThrow(
    /VITE_SUPABASE_URL.*VITE_SUPABASE_PUBLISHABLE_KEY/,
  )
})
