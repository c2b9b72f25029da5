// The values that a session lives by are the libraries' own defaults. This test notices when an update changes one.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createBrowserClient, DEFAULT_COOKIE_OPTIONS, MAX_CHUNK_SIZE } from '@supabase/ssr'
import { expect, test } from 'vitest'

const here = createRequire(import.meta.url)
const supabaseJs = createRequire(here.resolve('@supabase/supabase-js'))
const authConstants = readFileSync(supabaseJs.resolve('@supabase/auth-js/dist/main/lib/constants.js'), 'utf8')
const constant = (name: string) => new RegExp(`exports\\.${name} = (\\d[\\d *]*)`).exec(authConstants)?.[1]?.trim()

test('a session cookie lasts 34560000 seconds and is split after 3180 characters', () => {
  expect({ maxAge: DEFAULT_COOKIE_OPTIONS.maxAge, chunk: MAX_CHUNK_SIZE }).toEqual({ maxAge: 34_560_000, chunk: 3180 })
})

test('tokens are checked every 30 seconds, signing keys are cached for 10 minutes', () => {
  expect({ tick: constant('AUTO_REFRESH_TICK_DURATION_MS'), keys: constant('JWKS_TTL') }).toEqual({
    tick: '30 * 1000',
    keys: '10 * 60 * 1000',
  })
})

test('the app’s client stores its session in these cookies', async () => {
  const set: { name: string; value: string; options: { maxAge?: number | undefined } }[] = []
  const client = createBrowserClient('http://127.0.0.1:54321', 'sb_publishable_test', {
    isSingleton: false,
    auth: { autoRefreshToken: false, detectSessionInUrl: false },
    cookies: { getAll: () => [], setAll: (cookies) => void set.push(...cookies) },
    global: { fetch: answerWithUser },
  })
  const token = unsignedToken({ sub: 'b6b1c8a2-3c1c-4c39-9c25-0f5d7a3f0001', exp: Date.now() / 1000 + 3600 })
  await client.auth.setSession({ access_token: token, refresh_token: 'refresh' })
  const kept = set.filter(({ value }) => value !== '')
  expect(kept.length).toBeGreaterThan(1)
  expect(kept.every(({ value }) => encodeURIComponent(value).length <= 3180)).toBe(true)
  expect(new Set(kept.map(({ options }) => options.maxAge))).toEqual(new Set([34_560_000]))
})

const answerWithUser: typeof fetch = async () =>
  Response.json({
    id: 'b6b1c8a2-3c1c-4c39-9c25-0f5d7a3f0001',
    aud: 'authenticated',
    user_metadata: { long: 'x'.repeat(6000) },
    app_metadata: {},
    created_at: '2026-01-01T00:00:00Z',
  })

function unsignedToken(claims: object): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}.c2lnbmF0dXJl`
}
