import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { createAuthenticator } from '../../testing/authenticator.ts'

const ORIGIN = 'http://localhost:5173'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["${ORIGIN}"]
`)
})
afterAll(() => auth.close())

async function signedUp(name: string) {
  const client = auth.client()
  const { data } = await client.auth.signUp({ email: `${name}@example.com`, password: 'correct horse' })
  let token = data.session?.access_token ?? ''
  return {
    client,
    async post(path: string, body: unknown) {
      const response = await fetch(`${auth.url}/auth/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
      const answer = (await response.json()) as Record<string, string> & {
        webauthn: {
          type: string
          credential_options: {
            publicKey: { challenge: string; rp?: { id: string }; allowCredentials?: { id: string }[] }
          }
        }
      }
      if (answer.access_token) token = answer.access_token
      return { status: response.status, body: answer }
    },
  }
}

type Person = Awaited<ReturnType<typeof signedUp>>

const challenge = async ({ post }: Person, id: string) => {
  const { body } = await post(`/factors/${id}/challenge`, {})
  return { challengeId: body.id, webauthn: body.webauthn, value: body.webauthn.credential_options.publicKey.challenge }
}

test('enrolls a security key that then raises sessions to aal2', async () => {
  const person = await signedUp('key')
  const key = createAuthenticator(ORIGIN)
  const { body: factor } = await person.post('/factors', { factor_type: 'webauthn', friendly_name: 'key' })
  expect(factor).toMatchObject({ type: 'webauthn', friendly_name: 'key' })
  const id = factor.id ?? ''
  const first = await challenge(person, id)
  expect(first.webauthn).toMatchObject({
    type: 'create',
    credential_options: { publicKey: { rp: { id: 'localhost' } } },
  })
  const made = key.create(first.value)
  const enrolled = await person.post(`/factors/${id}/verify`, {
    challenge_id: first.challengeId,
    webauthn: { type: 'create', credential_response: made },
  })
  expect(enrolled.status).toBe(200)
  expect((await auth.identity.verify(enrolled.body.access_token ?? '')).claims).toMatchObject({
    aal: 'aal2',
    amr: expect.arrayContaining([expect.objectContaining({ method: 'mfa/webauthn' })]),
  })
  const replay = await person.post(`/factors/${id}/verify`, {
    challenge_id: first.challengeId,
    webauthn: { type: 'create', credential_response: made },
  })
  expect(replay.body).toMatchObject({ error_code: 'mfa_ip_address_mismatch' })

  const second = await challenge(person, id)
  expect(second.webauthn).toMatchObject({
    type: 'request',
    credential_options: { publicKey: { allowCredentials: [{ id: made.id }] } },
  })
  const used = key.use(second.value)
  const opened = await person.post(`/factors/${id}/verify`, {
    challenge_id: second.challengeId,
    webauthn: { type: 'request', credential_response: used },
  })
  expect(opened.status).toBe(200)
})

test.each([
  ['another key', () => createAuthenticator(ORIGIN)],
  ['another site', () => createAuthenticator('https://evil.example')],
])('rejects %s', async (name, make) => {
  const person = await signedUp(name.replace(' ', '-'))
  const key = createAuthenticator(ORIGIN)
  const { body: factor } = await person.post('/factors', { factor_type: 'webauthn', friendly_name: 'key' })
  const first = await challenge(person, factor.id ?? '')
  const path = `/factors/${factor.id}/verify`
  await person.post(path, {
    challenge_id: first.challengeId,
    webauthn: { type: 'create', credential_response: key.create(first.value) },
  })
  const second = await challenge(person, factor.id ?? '')
  const forged = await person.post(path, {
    challenge_id: second.challengeId,
    webauthn: { type: 'request', credential_response: make().use(second.value) },
  })
  expect(forged.body).toMatchObject({ code: 422, error_code: 'mfa_verification_failed' })
  for (const webauthn of [
    null,
    {},
    { type: 'request' },
    { type: 'request', credential_response: {} },
    { type: 'create', credential_response: { id: 'x', response: 7 } },
  ]) {
    const { status } = await person.post(path, { challenge_id: second.challengeId, webauthn })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  }
})
