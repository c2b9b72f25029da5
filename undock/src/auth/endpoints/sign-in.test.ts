import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth('[auth]\nenable_anonymous_sign_ins = true\n')
})
afterAll(() => auth.close())

let count = 0
const newAddress = () => `user${++count}@example.com`
const password = 'correct horse'

describe('sign-up', () => {
  test('returns a session whose token identifies the user', async () => {
    const client = auth.client()
    const email = newAddress()
    const { data, error } = await client.auth.signUp({ email, password, options: { data: { full_name: 'Ada' } } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { full_name: 'Ada', email, email_verified: true, phone_verified: false, sub: data.user?.id },
      identities: [{ provider: 'email', id: data.user?.id, user_id: data.user?.id, email }],
      is_anonymous: false,
    })
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(data.session?.refresh_token).toMatch(/^[a-z2-7]{12}$/)
    const { claims } = await auth.identity.verify(data.session?.access_token ?? '')
    const now = Math.floor(auth.clock.now().getTime() / 1000)
    expect(claims).toEqual({
      iss: auth.identity.issuer,
      sub: data.user?.id,
      aud: 'authenticated',
      exp: now + 3600,
      iat: now,
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: data.user?.user_metadata,
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: now }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
    })
  })

  test.each([
    [
      'a short password',
      { email: 'a@example.com', password: '123' },
      422,
      'weak_password',
      'Password should be at least 6 characters.',
    ],
    [
      'no password',
      { email: 'a@example.com', password: '' },
      400,
      'validation_failed',
      'Signup requires a valid password',
    ],
    [
      '73 bytes',
      { email: 'a@example.com', password: 'ä'.repeat(37) },
      400,
      'validation_failed',
      'Password cannot be longer than 72 characters',
    ],
    [
      'no address',
      { email: 'nobody', password },
      400,
      'validation_failed',
      'Unable to validate email address: invalid format',
    ],
    [
      'a phone while phones are off',
      { phone: '+4915112345678', password },
      400,
      'phone_provider_disabled',
      'Phone signups are disabled',
    ],
  ])('rejects %s', async (_name, credentials, status, code, message) => {
    const { error } = await auth.client().auth.signUp(credentials as { email: string; password: string })
    expect(error).toMatchObject({ status, code, message })
  })

  test('reports a taken address, because without confirmations there is nothing to hide', async () => {
    const email = newAddress()
    await auth.client().auth.signUp({ email, password })
    const { error } = await auth.client().auth.signUp({ email: email.toUpperCase(), password: 'another one' })
    expect(error).toMatchObject({ status: 422, code: 'user_already_exists', message: 'User already registered' })
  })

  test('anonymous users get a session and can become permanent', async () => {
    const client = auth.client()
    const { data } = await client.auth.signInAnonymously({ options: { data: { nick: 'a' } } })
    expect(data.user).toMatchObject({ is_anonymous: true, email: '', user_metadata: { nick: 'a' }, identities: [] })
    const email = newAddress()
    const updated = await client.auth.updateUser({ email, password })
    expect(updated.error).toBeNull()
    expect(updated.data.user).toMatchObject({
      email,
      is_anonymous: false,
      user_metadata: { nick: 'a', email_verified: true },
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email', email }],
    })
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toBeNull()
  })
})

describe('password sign-in', () => {
  test('opens another session', async () => {
    const email = newAddress()
    const first = await auth.client().auth.signUp({ email, password })
    const second = await auth.client().auth.signInWithPassword({ email: email.toUpperCase(), password })
    expect(second.error).toBeNull()
    expect(second.data.user?.id).toBe(first.data.user?.id)
    expect(second.data.session?.refresh_token).not.toBe(first.data.session?.refresh_token)
    expect(second.data.user?.last_sign_in_at).toBe(auth.clock.now().toISOString())
  })

  test('responds the same to an unknown address and a wrong password', async () => {
    const email = newAddress()
    await auth.client().auth.signUp({ email, password })
    const wrong = await auth.client().auth.signInWithPassword({ email, password: 'wrong one' })
    const unknown = await auth.client().auth.signInWithPassword({ email: newAddress(), password })
    const expected = { status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' }
    expect(wrong.error).toMatchObject(expected)
    expect(unknown.error).toMatchObject(expected)
  })

  test('a banned user is rejected, and their tokens stop working', async () => {
    const client = auth.client()
    const email = newAddress()
    const { data } = await client.auth.signUp({ email, password })
    const admin = auth.client({ secret: true })
    const banned = await admin.auth.admin.updateUserById(data.user?.id ?? '', { ban_duration: '24h' })
    expect(banned.error).toBeNull()
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toMatchObject({
      code: 'user_banned',
    })
    expect((await client.auth.refreshSession()).error).toMatchObject({ code: 'user_banned' })
    expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' })
    auth.clock.advance(24 * 3600)
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toBeNull()
  })
})

describe('the user of a session', () => {
  test('is returned by getUser until the session ends', async () => {
    const client = auth.client()
    const email = newAddress()
    const { data: signedUp } = await client.auth.signUp({ email, password })
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ id: signedUp.user?.id, email })
    const token = signedUp.session?.access_token ?? ''
    expect((await client.auth.signOut()).error).toBeNull()
    const gone = await auth.client().auth.getUser(token)
    expect(gone.error).toMatchObject({ name: 'AuthSessionMissingError' })
  })

  test('has metadata that updates merge into and null removes', async () => {
    const client = auth.client()
    await client.auth.signUp({ email: newAddress(), password, options: { data: { a: 1, b: 2 } } })
    const { data } = await client.auth.updateUser({ data: { b: null, c: { d: 'x' } } })
    expect(data.user?.user_metadata).toMatchObject({ a: 1, c: { d: 'x' } })
    expect(data.user?.user_metadata).not.toHaveProperty('b')
  })

  test('a new password must differ, and ends the other sessions', async () => {
    const email = newAddress()
    const client = auth.client()
    await client.auth.signUp({ email, password })
    const other = auth.client()
    await other.auth.signInWithPassword({ email, password })
    expect((await client.auth.updateUser({ password })).error).toMatchObject({ status: 422, code: 'same_password' })
    expect((await client.auth.updateUser({ password: 'battery staple' })).error).toBeNull()
    expect((await client.auth.getUser()).error).toBeNull()
    expect((await other.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toMatchObject({
      code: 'invalid_credentials',
    })
    expect((await auth.client().auth.signInWithPassword({ email, password: 'battery staple' })).error).toBeNull()
  })

  test.each(['global', 'local', 'others'] as const)('signs out with scope %s', async (scope) => {
    const email = newAddress()
    const here = auth.client()
    await here.auth.signUp({ email, password })
    const there = auth.client()
    await there.auth.signInWithPassword({ email, password })
    const session = (await here.auth.getSession()).data.session
    expect((await here.auth.signOut({ scope })).error).toBeNull()
    const hereLives = (await auth.client().auth.getUser(session?.access_token)).error === null
    const thereLives = (await there.auth.getUser()).error === null
    expect({ hereLives, thereLives }).toEqual({ hereLives: scope === 'others', thereLives: scope === 'local' })
  })
})

test('settings, health and keys are public', async () => {
  const get = async (path: string) => (await fetch(`${auth.url}/auth/v1${path}`)).json()
  expect(await get('/settings')).toMatchObject({
    external: { anonymous_users: true, email: true, phone: false, github: false },
    disable_signup: false,
    mailer_autoconfirm: true,
    phone_autoconfirm: true,
  })
  expect(await get('/health')).toMatchObject({ name: 'GoTrue' })
  const { keys } = (await get('/.well-known/jwks.json')) as { keys: { alg: string; d?: string }[] }
  expect(keys[0]).toMatchObject({ alg: 'ES256', use: 'sig' })
  expect(keys[0]).not.toHaveProperty('d')
  expect(await get('/.well-known/openid-configuration')).toMatchObject({ issuer: auth.identity.issuer })
  const client = auth.client()
  await client.auth.signUp({ email: newAddress(), password })
  expect((await client.auth.getClaims()).data?.claims).toMatchObject({ role: 'authenticated' })
})

test('the actions are in the audit log', async () => {
  const email = newAddress()
  await auth.client().auth.signUp({ email, password })
  await auth.client().auth.signInWithPassword({ email, password })
  const { data } = await auth.client({ secret: true }).auth.admin.listUsers()
  expect(data.users.some((user) => user.email === email)).toBe(true)
  const response = await fetch(`${auth.url}/auth/v1/admin/audit?query=author:${email}`, {
    headers: { apikey: auth.identity.keys.secret },
  })
  const entries = (await response.json()) as { payload: { action: string } }[]
  expect(entries.map(({ payload }) => payload.action).sort()).toEqual(['login', 'login', 'user_signedup'])
})
