import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { exportSPKI, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn, startTestAuth, type TestAuth } from '../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(
    '[auth]\nsite_url = "https://app.example.com"\n[auth.email]\nenable_confirmations = true\n',
  )
})
afterAll(() => auth.close())

const password = 'correct horse'

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${auth.url}/auth/v1${path}`, { method: 'POST', body, headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const ENDPOINTS = [
  '/signup',
  '/otp',
  '/magiclink',
  '/recover',
  '/resend',
  '/verify',
  '/token?grant_type=password',
  '/token?grant_type=refresh_token',
  '/token?grant_type=pkce',
  '/token?grant_type=id_token',
  '/token?grant_type=web3',
  '/token',
  '/invite',
]

describe('bodies', () => {
  test.each(ENDPOINTS.filter((path) => path !== '/token' && path !== '/invite'))(
    '%s refuses what is no object',
    async (path) => {
      for (const body of [
        '',
        '{',
        '[]',
        '7',
        '"x"',
        'null',
        '{"email":5,"refresh_token":[],"type":{},"auth_code":true,"provider":1,"chain":2}',
      ]) {
        const answer = await post(path, body)
        expect(answer.status, body).toBeGreaterThanOrEqual(400)
        expect(answer.status, body).toBeLessThan(500)
        expect(answer.body, body).toMatchObject(
          path.includes('id_token') && body === 'null' ? {} : { code: answer.status, msg: expect.any(String) },
        )
      }
    },
  )

  test.each([
    ['truncated JSON', '{"email":', 'Could not parse request body as JSON: invalid character'],
    ['nothing', '', 'Could not parse request body as JSON: unexpected end of JSON input'],
    [
      'a NUL',
      '{"email":"a\\u0000@example.com","password":"correct horse"}',
      'A text may not contain the NUL character',
      'validation_failed',
    ],
  ])('%s', async (_name, body, msg, error_code = 'bad_json') => {
    expect(await post('/signup', body)).toEqual({ status: 400, body: { code: 400, error_code, msg } })
  })

  test('are rejected above one mebibyte', async () => {
    const answer = await post(
      '/signup',
      JSON.stringify({ email: 'a@example.com', password, data: { x: 'x'.repeat(1 << 20) } }),
    )
    expect(answer).toEqual({
      status: 413,
      body: { code: 413, error_code: 'request_entity_too_large', msg: 'Request body too large (max 1048576 bytes)' },
    })
  })

  test('of any JSON never cause an internal error', async () => {
    const value = fc.jsonValue({ maxDepth: 2 })
    const names = [
      'email',
      'phone',
      'password',
      'data',
      'type',
      'token',
      'token_hash',
      'create_user',
      'channel',
      'code_challenge',
      'code_challenge_method',
      'refresh_token',
      'auth_code',
      'code_verifier',
      'gotrue_meta_security',
      'redirect_to',
    ] as const
    const body = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ENDPOINTS), body, async (path, sent) => {
        const { status } = await post(path, JSON.stringify(sent))
        return status < 500
      }),
      { numRuns: 150 },
    )
  })
})

describe('addresses', () => {
  test.each([
    "a'--@example.com",
    'x@example.com',
    '"><script>@x',
    'a\r\nBcc: b@example.com',
    `${'a'.repeat(250)}@example.com`,
    '%@example.com',
  ])('%s never escapes', async (email) => {
    const { status } = await post('/signup', JSON.stringify({ email, password }))
    expect([200, 400]).toContain(status)
    const { rows } = await auth.db.query({
      text: 'select count(*)::int as n from auth.users where email like $1',
      values: ['%\r%'],
    })
    expect(rows).toEqual([{ n: 0 }])
  })

  test('escapes metadata in emails', async () => {
    await auth.client().auth.signUp({ email: 'mark@example.com', password, options: { data: { name: '<img src=x>' } } })
    expect(auth.mailTo('mark@example.com').html).not.toContain('<img')
  })
})

describe('redirects', () => {
  test.each([
    'https://evil.example',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://evil.example\\@app.example.com/',
    '//evil.example',
    'javascript:alert(1)//https://app.example.com',
    'data:text/html,x',
    'https://app.example.com%00.evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://2130706433/',
    'https://app.example.com/\r\nset-cookie: a=b',
  ])("doesn't follow %s", async (target) => {
    const email = `redirect${Math.random().toString(36).slice(2)}@example.com`
    await auth.client().auth.signUp({ email, password, options: { emailRedirectTo: target } })
    const link = linkIn(auth.mailTo(email))
    expect(new URL(link).searchParams.get('redirect_to')).toBe('https://app.example.com')
    const tampered = `${link.split('&redirect_to=')[0]}&redirect_to=${encodeURIComponent(target)}`
    const response = await fetch(tampered, { redirect: 'manual' })
    expect(new URL(response.headers.get('location') ?? '').origin).toBe('https://app.example.com')
  })

  test('the link in an email accepts only GET and POST', async () => {
    const response = await fetch(`${auth.url}/auth/v1/verify?token=x&type=signup`, { method: 'DELETE' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST')
  })
})

describe('tokens', () => {
  const userPath = '/auth/v1/user'
  const ask = (token: string) => fetch(auth.url + userPath, { headers: { authorization: `Bearer ${token}` } })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('rejects a public key as a shared secret, and alg none', async () => {
    const claims = encode({ sub: 'aaaaaaaa-0000-4000-8000-000000000001', role: 'service_role', exp: 4e9 })
    const [jwk] = auth.identity.jwks().keys
    const pem = await exportSPKI((await importJWK({ ...jwk }, 'ES256')) as CryptoKey)
    const forged = [JSON.stringify(jwk), pem, ''].map((secret) => {
      const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: jwk?.kid })}.${claims}`
      return `${signed}.${createHmac('sha256', secret || 'x')
        .update(signed)
        .digest('base64url')}`
    })
    for (const token of [...forged, `${encode({ alg: 'none' })}.${claims}.`, 'a.b.c', 'a', '.']) {
      const response = await ask(token)
      expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
        status: 403,
        error_code: 'bad_jwt',
      })
      expect(
        (await fetch(`${auth.url}/auth/v1/admin/users`, { headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(403)
    }
  })

  test.each([
    ['no subject', {}, 403, 'bad_jwt', 'invalid claim: missing sub claim'],
    ["a subject that isn't an id", { sub: 'x' }, 400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
    [
      'nobody',
      { sub: 'aaaaaaaa-0000-4000-8000-00000000000f' },
      403,
      'user_not_found',
      'User from sub claim in JWT does not exist',
    ],
  ])('%s', async (_name, claims, status, error_code, msg) => {
    const response = await ask(
      await auth.identity.sign({ role: 'authenticated', aud: 'authenticated', exp: 4e9, ...claims }),
    )
    expect({ status: response.status, body: await response.json() }).toEqual({
      status,
      body: { code: status, error_code, msg },
    })
  })

  test('the anonymous key alone identifies no user', async () => {
    for (const key of [auth.identity.keys.anon, auth.identity.keys.publishable]) {
      expect((await ask(key)).status).toBe(403)
    }
    expect((await fetch(auth.url + userPath)).status).toBe(401)
    expect((await fetch(auth.url + userPath, { headers: { authorization: 'Basic x' } })).status).toBe(401)
  })
})

test('errors have the format of the requested API version', async () => {
  const ask = async (version: string) => {
    const response = await fetch(`${auth.url}/auth/v1/user`, { headers: { 'x-supabase-api-version': version } })
    return {
      version: response.headers.get('x-supabase-api-version'),
      code: response.headers.get('x-sb-error-code'),
      body: await response.json(),
    }
  }
  const message = 'This endpoint requires a valid Bearer token'
  expect(await ask('2024-01-01')).toEqual({
    version: '2024-01-01',
    code: 'no_authorization',
    body: { code: 'no_authorization', message },
  })
  expect(await ask('2099-01-01')).toMatchObject({ version: '2024-01-01', body: { code: 'no_authorization', message } })
  for (const old of ['2023-12-31', 'nonsense', '']) {
    expect(await ask(old)).toEqual({
      version: null,
      code: 'no_authorization',
      body: { code: 401, error_code: 'no_authorization', msg: message },
    })
  }
})

test('rate limits count callers from other machines, not from this one', async () => {
  const from = (address: string) =>
    auth.handle(new Request(`${auth.url}/auth/v1/verify?token=x&type=signup`), { requestId: 'r', address })
  const statuses: number[] = []
  for (let index = 0; index < 31; index++) statuses.push((await from('203.0.113.9')).status)
  expect(statuses).toEqual([...Array(30).fill(303), 429])
  expect((await from('203.0.113.10')).status).toBe(303)
  for (let index = 0; index < 31; index++) expect((await from('127.0.0.1')).status).toBe(303)
  auth.clock.advance(10)
  expect((await from('203.0.113.9')).status).toBe(303)
})

test('logs no secrets', async () => {
  const email = 'secret@example.com'
  await auth.client().auth.signUp({ email, password: 'a very secret word' })
  await auth.client().auth.verifyOtp({ email, token: '000000', type: 'email' })
  const log = auth.logged.join('\n')
  for (const secret of ['a very secret word', new URL(linkIn(auth.mailTo(email))).searchParams.get('token') ?? '-']) {
    expect(log).not.toContain(secret)
  }
})

test('rejects a NUL in a query before it reaches the database', async () => {
  for (const path of ['/admin/users?filter=%00', '/admin/audit?query=action:%00', '/authorize?provider=%00']) {
    const response = await fetch(`${auth.url}/auth/v1${path}`, {
      headers: { apikey: auth.identity.keys.secret },
      redirect: 'manual',
    })
    expect({ path, status: response.status }).toEqual({ path, status: 400 })
  }
  const link = await fetch(`${auth.url}/auth/v1/verify?token=%00&type=signup`, { redirect: 'manual' })
  expect(link.headers.get('location')).toContain('error_code=validation_failed')
})

test('disabled features have their own errors', async () => {
  const refusal = async (method: string, path: string) =>
    (
      (await (
        await fetch(`${auth.url}/auth/v1${path}`, { method, headers: { apikey: auth.identity.keys.secret } })
      ).json()) as { error_code: string }
    ).error_code
  expect(await refusal('POST', '/sso')).toBe('saml_provider_disabled')
  expect(await refusal('POST', '/passkeys/authentication/options')).toBe('passkey_disabled')
  expect(await refusal('POST', '/oauth/token')).toBe('feature_disabled')
  expect(await refusal('GET', '/admin/oauth/clients')).toBe('feature_disabled')
  expect(await refusal('GET', '/scim/v2/Schemas')).toBe('feature_disabled')
  expect(await refusal('GET', '/authorize?provider=github')).toBe('validation_failed')
  expect(await refusal('GET', '/nowhere')).toBe('not_found')
})
