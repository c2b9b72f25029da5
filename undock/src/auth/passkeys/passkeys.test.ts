import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { createAuthenticator } from '../../testing/authenticator.ts'

const ORIGIN = 'http://localhost:5173'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
enable_anonymous_sign_ins = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["${ORIGIN}"]
`)
})
afterAll(() => auth.close())

type Credential = Parameters<SupabaseClient['auth']['passkey']['verifyRegistration']>[0]['credential']
type Assertion = Parameters<SupabaseClient['auth']['passkey']['verifyAuthentication']>[0]['credential']

async function signedUp(name: string) {
  const client = auth.client()
  const { data } = await client.auth.signUp({ email: `${name}@example.com`, password: 'correct horse' })
  return { client, id: data.user?.id ?? '', handle: Buffer.from(data.user?.id ?? '').toString('base64url') }
}

async function register(client: SupabaseClient, key: ReturnType<typeof createAuthenticator>) {
  const { data: started, error } = await client.auth.passkey.startRegistration()
  if (error) throw error
  return client.auth.passkey.verifyRegistration({
    challengeId: started.challenge_id,
    credential: key.create(started.options.challenge) as Credential,
  })
}

async function signInWith(key: ReturnType<typeof createAuthenticator>, handle?: string, client = auth.client()) {
  const { data: started, error } = await client.auth.passkey.startAuthentication()
  if (error) throw error
  const credential = key.use(started.options.challenge, handle) as Assertion
  return client.auth.passkey.verifyAuthentication({ challengeId: started.challenge_id, credential })
}

test('registers a passkey that signs in without a user name', async () => {
  const { client, id, handle } = await signedUp('ada')
  const { data: started } = await client.auth.passkey.startRegistration()
  expect(started?.options).toMatchObject({
    rp: { id: 'localhost', name: 'Test' },
    user: { id: handle, name: 'ada@example.com' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    excludeCredentials: [],
  })
  const key = createAuthenticator(ORIGIN)
  const made = await register(client, key)
  expect(made.data).toEqual({ id: expect.any(String), friendly_name: 'Passkey', created_at: expect.any(String) })

  const { data, error } = await signInWith(key, handle)
  expect(error).toBeNull()
  expect(data?.session?.user.id).toBe(id)
  const { claims } = await auth.identity.verify(data?.session?.access_token ?? '')
  expect(claims).toMatchObject({ aal: 'aal1', amr: [expect.objectContaining({ method: 'passkey' })] })

  const listed = await client.auth.passkey.list()
  expect(listed.data).toEqual([{ ...made.data, last_used_at: expect.any(String) }])
  const again = await client.auth.passkey.startRegistration()
  expect(again.data?.options.excludeCredentials).toHaveLength(1)
})

test('accepts a response once and only before the challenge expires', async () => {
  const { client, handle } = await signedUp('once')
  const key = createAuthenticator(ORIGIN)
  await register(client, key)
  const { data: started } = await client.auth.passkey.startAuthentication()
  const challengeId = started?.challenge_id ?? ''
  const credential = key.use(started?.options.challenge ?? '', handle) as Assertion
  const answers = await Promise.all(
    [1, 2].map(() => auth.client().auth.passkey.verifyAuthentication({ challengeId, credential })),
  )
  expect(answers.map(({ error }) => error?.code ?? 'signed in').sort()).toEqual([
    'signed in',
    'webauthn_challenge_not_found',
  ])
  const late = await client.auth.passkey.startAuthentication()
  auth.clock.advance(301)
  const { error } = await client.auth.passkey.verifyAuthentication({
    challengeId: late.data?.challenge_id ?? '',
    credential: key.use(late.data?.options.challenge ?? '', handle) as Assertion,
  })
  expect(error?.code).toBe('webauthn_challenge_expired')
})

test('rejects another key, site or owner and an already registered credential', async () => {
  const { client, handle } = await signedUp('grace')
  const { client: other, handle: otherHandle } = await signedUp('mallory')
  const key = createAuthenticator(ORIGIN)
  await register(client, key)
  const refusals = await Promise.all([
    signInWith(createAuthenticator(ORIGIN), handle),
    signInWith(key, otherHandle),
    signInWith(key),
  ])
  expect(refusals.map(({ error }) => error?.code)).toEqual(Array(3).fill('webauthn_verification_failed'))
  expect((await register(other, createAuthenticator('https://evil.example'))).error?.code).toBe(
    'webauthn_verification_failed',
  )
  expect((await register(other, key)).error).toMatchObject({ code: 'webauthn_credential_exists', status: 422 })
})

test('owners rename and delete a passkey, administrators list and delete it', async () => {
  const { client, id } = await signedUp('owner')
  const { client: other } = await signedUp('stranger')
  const { data: first } = await register(client, createAuthenticator(ORIGIN))
  auth.clock.advance(1)
  const { data: second } = await register(client, createAuthenticator(ORIGIN))
  const passkeyId = first?.id ?? ''
  expect((await client.auth.passkey.update({ passkeyId, friendlyName: 'Laptop' })).data?.friendly_name).toBe('Laptop')
  const foreign = await other.auth.passkey.update({ passkeyId, friendlyName: 'Mine' })
  expect(foreign.error).toMatchObject({ status: 404, code: 'validation_failed', message: 'Passkey not found' })
  expect((await client.auth.passkey.update({ passkeyId, friendlyName: '' })).error?.message).toBe(
    'friendly_name is required',
  )
  expect((await client.auth.passkey.update({ passkeyId, friendlyName: 'x'.repeat(121) })).error?.message).toBe(
    'friendly_name must be 120 characters or less',
  )
  const admin = auth.client({ secret: true })
  const seen = await admin.auth.admin.passkey.listPasskeys({ userId: id })
  expect(seen.data?.map(({ friendly_name }) => friendly_name)).toEqual(['Laptop', 'Passkey'])
  expect((await client.auth.passkey.delete({ passkeyId })).error).toBeNull()
  expect((await admin.auth.admin.passkey.deletePasskey({ userId: id, passkeyId: second?.id ?? '' })).error).toBeNull()
  expect((await client.auth.passkey.list()).data).toEqual([])
})

test("a user can't register more than ten passkeys", async () => {
  const { client } = await signedUp('collector')
  for (let made = 0; made < 10; made++) expect((await register(client, createAuthenticator(ORIGIN))).error).toBeNull()
  const { error } = await client.auth.passkey.startRegistration()
  expect(error).toMatchObject({ status: 422, code: 'too_many_passkeys' })
})

test("anonymous users can't register passkeys", async () => {
  const client = auth.client()
  await client.auth.signInAnonymously()
  expect((await client.auth.passkey.startRegistration()).error?.code).toBe('no_authorization')
})

test.each([
  [{}, 'challenge_id is required'],
  [{ challenge_id: 'x' }, 'credential is required'],
  [{ challenge_id: 'x', credential: {} }, 'challenge_id must be a valid UUID'],
  [{ challenge_id: '6a5e3a4e-50ff-4ba1-b1a4-000000000000', credential: {} }, 'Challenge not found or already used'],
])('responds to %j with 400', async (body, message) => {
  const response = await fetch(`${auth.url}/auth/v1/passkeys/authentication/verify`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ msg: message })
})
