// @vitest-environment node
import { expect, test } from 'vitest'
import { parseEnv } from './env.ts'

test('takes the address without its trailing slash', () => {
  expect(parseEnv({ VITE_SUPABASE_URL: 'http://127.0.0.1:54321/', VITE_SUPABASE_PUBLISHABLE_KEY: 'key' })).toEqual({
    supabaseUrl: 'http://127.0.0.1:54321',
    publishableKey: 'key',
  })
})

test('names every setting that is missing or wrong', () => {
  expect(() => parseEnv({ VITE_SUPABASE_URL: 'not an address' })).toThrow(
    /VITE_SUPABASE_URL.*VITE_SUPABASE_PUBLISHABLE_KEY/,
  )
})
