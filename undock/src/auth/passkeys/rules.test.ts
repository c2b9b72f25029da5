import type { SupabaseClient } from '@supabase/supabase-js'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { createAuthenticator } from '../../testing/authenticator.ts'

const ORIGIN = 'http://localhost:5173'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["${ORIGIN}"]
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
`)
})
afterAll(() => auth.close())

let count = 0
const password = 'correct horse'

async function member() {
  const client = auth.client()
  const email = `ruled${++count}@example.com`
  const { data } = await client.auth.signUp({ email, password })
  const id = data.user?.id ?? ''
  return { client, email, id, handle: Buffer.from(id).toString('base64url'), key: createAuthenticator(ORIGIN) }
}

type Member = Awaited<ReturnType<typeof member>>

async function ask(client: SupabaseClient | null, method: string, path: string, body: unknown = {}) {
  const token = client && (await client.auth.getSession()).data.session?.access_token
  const response = await fetch(`${auth.url}/auth/v1${path}`, {
    method,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

type Options = { challenge_id: string; options: { challenge: string } }

const begin = async (client: SupabaseClient | null, what: 'registration' | 'authentication') =>
  (await ask(client, 'POST', `/passkeys/${what}/options`)).body as Options

async function register({ client, key }: Pick<Member, 'client' | 'key'>) {
  const { challenge_id, options } = await begin(client, 'registration')
  return ask(client, 'POST', '/passkeys/registration/verify', {
    challenge_id,
    credential: key.create(options.challenge),
  })
}

async function signIn({ key, handle }: Pick<Member, 'key' | 'handle'>, later = async () => {}) {
  const { challenge_id, options } = await begin(null, 'authentication')
  await later()
  const credential = key.use(options.challenge, handle)
  return ask(null, 'POST', '/passkeys/authentication/verify', { challenge_id, credential })
}

const change = (id: string, what: ReturnType<typeof sql>) =>
  auth.db.query(statement(sql`update auth.users set ${what} where id = ${id}`))

describe('a passkey sign-in is rejected', () => {
  test.each([
    ['for a banned user', sql`banned_until = now() + '1 year'`, 403, 'user_banned'],
    ['with an unconfirmed address', sql`email_confirmed_at = null`, 403, 'email_not_confirmed'],
    ['with an unconfirmed phone number', sql`phone = '15559999'`, 403, 'phone_not_confirmed'],
  ])('%s', async (_name, what, status, error_code) => {
    const who = await member()
    expect((await register(who)).status).toBe(200)
    await change(who.id, what)
    expect(await signIn(who)).toMatchObject({ status, body: { error_code } })
  })

  test('with a challenge older than five minutes', async () => {
    const who = await member()
    await register(who)
    expect(await signIn(who, async () => auth.clock.advance(301))).toMatchObject({
      status: 400,
      body: { error_code: 'webauthn_challenge_expired', msg: 'Challenge has expired' },
    })
  })
})

describe('a passkey registration is rejected', () => {
  test('with a challenge of another user or for signing in', async () => {
    const [who, other] = [await member(), await member()]
    const foreign = await begin(other.client, 'registration')
    const wrong = await begin(null, 'authentication')
    for (const { challenge_id, options } of [foreign, wrong]) {
      const credential = who.key.create(options.challenge)
      const answer = await ask(who.client, 'POST', '/passkeys/registration/verify', { challenge_id, credential })
      expect(answer).toMatchObject({ status: 400, body: { error_code: 'webauthn_challenge_not_found' } })
    }
  })

  test('with a challenge older than five minutes', async () => {
    const who = await member()
    const { challenge_id, options } = await begin(who.client, 'registration')
    auth.clock.advance(301)
    const credential = who.key.create(options.challenge)
    const answer = await ask(who.client, 'POST', '/passkeys/registration/verify', { challenge_id, credential })
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'webauthn_challenge_expired' } })
  })

  test('for a single sign-on account, when it starts and when it ends', async () => {
    const who = await member()
    const { challenge_id, options } = await begin(who.client, 'registration')
    await change(who.id, sql`is_sso_user = true`)
    const refusal = { status: 422, body: { msg: 'SSO users cannot register passkeys' } }
    expect(await ask(who.client, 'POST', '/passkeys/registration/options')).toMatchObject(refusal)
    const credential = who.key.create(options.challenge)
    expect(await ask(who.client, 'POST', '/passkeys/registration/verify', { challenge_id, credential })).toMatchObject(
      refusal,
    )
  })

  test('for the eleventh, even if its challenge was created before the tenth', async () => {
    const who = await member()
    for (let made = 0; made < 9; made++) await register({ ...who, key: createAuthenticator(ORIGIN) })
    const opened = [await begin(who.client, 'registration'), await begin(who.client, 'registration')]
    const answers = []
    for (const { challenge_id, options } of opened) {
      const credential = createAuthenticator(ORIGIN).create(options.challenge)
      answers.push(await ask(who.client, 'POST', '/passkeys/registration/verify', { challenge_id, credential }))
    }
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [200, undefined],
      [422, 'too_many_passkeys'],
    ])
  })
})

test('a user with a second factor manages passkeys only at aal2', async () => {
  const who = await member()
  const { body: passkey } = await register(who)
  const { data } = await who.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  if (data?.type !== 'totp') throw new Error('no factor')
  const code = generateSync({ secret: data.totp.secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
  await who.client.auth.mfa.challengeAndVerify({ factorId: data.id, code })
  const plain = auth.client()
  await plain.auth.signInWithPassword({ email: who.email, password })
  const refusal = {
    status: 403,
    body: {
      error_code: 'insufficient_aal',
      msg: 'AAL2 session is required to manage passkeys when MFA is enabled',
    },
  }
  expect(await ask(plain, 'POST', '/passkeys/registration/options')).toMatchObject(refusal)
  expect(await ask(plain, 'DELETE', `/passkeys/${passkey.id}`)).toMatchObject(refusal)
  expect((await ask(plain, 'GET', '/passkeys')).status).toBe(200)
  expect((await register({ client: who.client, key: createAuthenticator(ORIGIN) })).status).toBe(200)
  expect((await ask(who.client, 'DELETE', `/passkeys/${passkey.id}`)).status).toBe(204)
})

test("users can't list, rename or delete another user's or a missing passkey", async () => {
  const [who, other] = [await member(), await member()]
  const { body: passkey } = await register(who)
  const unknown = { status: 404, body: { msg: 'Passkey not found' } }
  for (const path of [passkey.id, '73bf9ee0-9e8c-453b-b484-09cb93e2f341', 'not-a-uuid'].map(
    (id) => `/passkeys/${id}`,
  )) {
    expect(await ask(other.client, 'PATCH', path, { friendly_name: 'x' }), path).toMatchObject(unknown)
    expect(await ask(other.client, 'DELETE', path), path).toMatchObject(unknown)
    for (const [method, body] of [
      ['PATCH', { friendly_name: 'x' }],
      ['DELETE', {}],
    ] as const)
      expect((await ask(null, method, path, body)).status).toBe(401)
  }
  expect((await ask(other.client, 'GET', '/passkeys')).body).toEqual([])
  expect((await ask(null, 'GET', '/passkeys')).status).toBe(401)
  const named = await ask(who.client, 'PATCH', `/passkeys/${passkey.id}`, { friendly_name: 'x'.repeat(120) })
  expect(named).toMatchObject({ status: 200, body: { friendly_name: 'x'.repeat(120) } })
  const admin = `/admin/users/${other.id}/passkeys`
  expect((await ask(who.client, 'GET', admin)).status).toBe(403)
  expect((await ask(null, 'DELETE', `${admin}/${passkey.id}`)).status).toBe(401)
  const asAdmin = await fetch(`${auth.url}/auth/v1${admin}/${passkey.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${auth.identity.keys.serviceRole}` },
  })
  expect(asAdmin.status).toBe(404)
})
