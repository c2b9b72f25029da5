import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
[auth.external.github]
enabled = true
client_id = "c"
secret = "s"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
`)
})
afterAll(() => auth.close())

const TABLES = [
  'flow_state',
  'webauthn_challenges',
  'mfa_factors',
  'mfa_challenges',
  'refresh_tokens',
  'sessions',
  'users',
]

async function counts(): Promise<Record<string, number>> {
  const text = `select ${TABLES.map((name) => `(select count(*)::int from auth.${name}) as ${name}`).join(', ')}`
  const { rows } = await auth.db.query<Record<string, number>>({ text, values: [] })
  return rows[0] ?? {}
}

test('deletes only unusable rows after a while', async () => {
  const client = auth.client()
  await client.auth.signUp({ email: 'stays@example.com', password: 'correct horse' })
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp' })
  await client.auth.mfa.challenge({ factorId: data?.id ?? '' })
  await client.auth.refreshSession()
  await fetch(`${auth.url}/auth/v1/authorize?provider=github`, { redirect: 'manual' })
  await client.auth.passkey.startAuthentication()
  const health = async () => {
    for (let made = 0; made < 100; made++) await fetch(`${auth.url}/auth/v1/health`)
  }
  const before = {
    flow_state: 1,
    webauthn_challenges: 1,
    mfa_factors: 1,
    mfa_challenges: 1,
    refresh_tokens: 2,
    sessions: 1,
    users: 1,
  }
  await health()
  expect(await counts()).toEqual(before)
  auth.clock.advance(25 * 3600)
  await health()
  await expect
    .poll(counts)
    .toEqual({ ...before, flow_state: 0, webauthn_challenges: 0, mfa_factors: 0, mfa_challenges: 0, refresh_tokens: 1 })
  expect((await client.auth.refreshSession()).error).toBeNull()
})
