// One user's simultaneous calls. The embedded engine serializes them; a real Postgres shows lock waits.
import { generateSync } from 'otplib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth('[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n')
})
afterAll(() => auth.close())

let count = 0
async function signUp() {
  const client = auth.client()
  const email = `at-once${++count}@example.com`
  const { data } = await client.auth.signUp({ email, password: 'correct horse' })
  if (!data.session) throw new Error('no session')
  return { client, email, session: data.session }
}

test('concurrent challenges of one factor all succeed', async () => {
  const { client } = await signUp()
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' })
  if (!factor) throw new Error('no factor')
  const challenges = await Promise.all(
    Array.from({ length: 12 }, () => client.auth.mfa.challenge({ factorId: factor.id })),
  )
  expect(challenges.map(({ error }) => error)).toEqual(challenges.map(() => null))
  const code = generateSync({ secret: factor.totp.secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
  const challengeId = challenges.at(-1)?.data?.id ?? ''
  expect((await client.auth.mfa.verify({ factorId: factor.id, challengeId, code })).error).toBeNull()
})

test("refreshing a session while all of the user's sessions are ended doesn't deadlock", async () => {
  const post = async (path: string, token: string | null, body?: object) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const init = { method: 'POST', headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    return (await fetch(`${auth.url}/auth/v1${path}`, init)).status
  }
  for (let round = 0; round < 15; round += 1) {
    const { session, email } = await signUp()
    const others = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { data } = await auth.client().auth.signInWithPassword({ email, password: 'correct horse' })
        return data.session?.refresh_token
      }),
    )
    const statuses = await Promise.all([
      ...[session.refresh_token, ...others].map((refresh_token) =>
        post('/token?grant_type=refresh_token', null, { refresh_token }),
      ),
      post('/logout?scope=global', session.access_token),
    ])
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  }
})

test('concurrent sign-ups with one address create one account', async () => {
  const { admin } = auth.client({ secret: true }).auth
  const made = await Promise.all(
    Array.from({ length: 8 }, () => admin.createUser({ email: 'one@example.com', password: 'correct horse' })),
  )
  const codes = made.map(({ error }) => error?.code ?? 'made').sort()
  expect(codes).toEqual([...Array(7).fill('email_exists'), 'made'])
})
