import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { codeIn, linkIn, startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { createRedirectRules } from '../guards/redirect-rules.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
site_url = "https://app.test"
[auth.email]
enable_confirmations = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
15550001 = "123456"
15550002 = "123456"
15550003 = "123456"
`)
})
afterAll(() => auth.close())

const password = 'correct horse'
let count = 0
const newAddress = () => `verify${++count}@example.com`

async function post(path: string, body: object) {
  const response = await fetch(`${auth.url}/auth/v1${path}`, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function open(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' })
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location') ?? '')
}

const link = (parts: Record<string, string>) => `${auth.url}/auth/v1/verify?${new URLSearchParams(parts)}`
const hashIn = (address: string) => new URL(linkIn(auth.mailTo(address))).searchParams.get('token') ?? ''

type Start = (email: string) => Promise<unknown>

const signUp: Start = (email) => post('/signup', { email, password })
const member: Start = async (email) => {
  await auth.client({ secret: true }).auth.admin.createUser({ email, password, email_confirm: true })
}
const asked =
  (path: string): Start =>
  async (email) => {
    await member(email)
    await post(path, { email })
  }
const invited: Start = (email) => auth.client({ secret: true }).auth.admin.inviteUserByEmail(email)

const FLOWS = [
  ['signup', signUp, ['signup', 'email']],
  ['invite', invited, ['invite', 'email', 'signup']],
  ['magic link', asked('/magiclink'), ['magiclink', 'email', 'recovery']],
  ['recovery', asked('/recover'), ['recovery', 'email', 'magiclink']],
] as const

const CASES = FLOWS.flatMap(([name, start, types]) => types.map((type) => [name, type, start] as const))

describe.each(CASES)('the email of %s as %s', (_name, type, start) => {
  test("is verified by its code, ignoring the address's letter case", async () => {
    const email = newAddress()
    await start(email)
    const answer = await post('/verify', { type, email: email.toUpperCase(), token: codeIn(auth.mailTo(email)) })
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'bearer', user: { email } } })
  })

  test('is verified once by the hash of its token', async () => {
    const email = newAddress()
    await start(email)
    const token_hash = hashIn(email)
    expect((await post('/verify', { type, token_hash })).status).toBe(200)
    expect(await post('/verify', { type, token_hash })).toMatchObject({
      status: 403,
      body: { error_code: 'otp_expired' },
    })
  })

  test('is rejected after an hour', async () => {
    const email = newAddress()
    await start(email)
    const code = codeIn(auth.mailTo(email))
    auth.clock.advance(3601)
    const expired = { status: 403, body: { error_code: 'otp_expired' } }
    expect(await post('/verify', { type, email, token: code })).toMatchObject(expired)
    expect(await post('/verify', { type, token_hash: hashIn(email) })).toMatchObject(expired)
  })

  test('is rejected for a banned user', async () => {
    const email = newAddress()
    await start(email)
    await auth.db.query(statement(sql`update auth.users set banned_until = now() + '1 year' where email = ${email}`))
    const banned = { status: 403, body: { error_code: 'user_banned', msg: 'User is banned' } }
    expect(await post('/verify', { type, email, token: codeIn(auth.mailTo(email)) })).toMatchObject(banned)
    expect(await post('/verify', { type, token_hash: hashIn(email) })).toMatchObject(banned)
    const target = await open(linkIn(auth.mailTo(email)))
    expect(target.hash).toContain('error_code=user_banned')
  })
})

test('a code is rejected for another purpose', async () => {
  const email = newAddress()
  await signUp(email)
  const token = codeIn(auth.mailTo(email))
  for (const type of ['recovery', 'magiclink', 'email_change']) {
    expect(await post('/verify', { type, email, token }), type).toMatchObject({ status: 403 })
    expect(await post('/verify', { type, token_hash: hashIn(email) }), type).toMatchObject({ status: 403 })
  }
  expect((await post('/verify', { type: 'signup', email, token })).status).toBe(200)
})

test('a recovery link confirms an unconfirmed address', async () => {
  const email = newAddress()
  await signUp(email)
  auth.clock.advance(2)
  await post('/recover', { email })
  const target = await open(linkIn(auth.mailTo(email)))
  const token = new URLSearchParams(target.hash.slice(1)).get('access_token') ?? ''
  expect((await auth.client().auth.getUser(token)).data.user).toMatchObject({ email_confirmed_at: expect.any(String) })
})

test("a second magic link for a new user renews the first and doesn't become a recovery", async () => {
  const email = newAddress()
  await post('/otp', { email })
  auth.clock.advance(2)
  await post('/otp', { email })
  const { rows } = await auth.db.query(
    statement(sql`select confirmation_token <> '' as confirms, coalesce(recovery_token, '') as recovers, email_confirmed_at
      from auth.users where email = ${email}`),
  )
  expect(rows).toEqual([{ confirms: true, recovers: '', email_confirmed_at: null }])
})

describe('a sign-up with the address of an unconfirmed account', () => {
  test('drops the identities of the account’s creator', async () => {
    const email = newAddress()
    const { data } = await auth.client({ secret: true }).auth.admin.createUser({ email })
    const id = data.user?.id ?? ''
    await auth.db.query(
      statement(sql`update auth.identities set provider = 'github', provider_id = 'attacker',
        identity_data = '{"sub": "attacker"}' where user_id = ${id}`),
    )
    expect((await post('/signup', { email, password, data: { own: true } })).body).toMatchObject({
      id,
      identities: [{ provider: 'email' }],
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { own: true },
    })
  })

  test("doesn't sign in to the account by its confirmed phone number", async () => {
    const email = newAddress()
    await auth.client({ secret: true }).auth.admin.createUser({ email, phone: '15550001', phone_confirm: true })
    const { status, body } = await post('/signup', { email, password })
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('access_token')
  })
})

describe('a change of address', () => {
  async function changing(isPkce = false) {
    const email = newAddress()
    const next = newAddress()
    await member(email)
    const client = auth.client({ flowType: isPkce ? 'pkce' : 'implicit' })
    await client.auth.signInWithPassword({ email, password })
    expect((await client.auth.updateUser({ email: next })).error).toBeNull()
    return { client, email, next }
  }

  test.each([
    ['the current one first', ['email', 'next']],
    ['the new one first', ['next', 'email']],
  ] as const)('is confirmed by the hashes from both mailboxes, %s', async (_name, order) => {
    const addresses = await changing()
    const [first, second] = order.map((which) => hashIn(addresses[which]))
    expect(await post('/verify', { type: 'email_change', token_hash: first })).toEqual({
      status: 200,
      body: { code: '200', msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email' },
    })
    expect(await post('/verify', { type: 'email_change', token_hash: first })).toMatchObject({ status: 403 })
    expect(await post('/verify', { type: 'email_change', token_hash: second })).toMatchObject({
      status: 200,
      body: { user: { email: addresses.next } },
    })
  })

  test('reports the first confirmation in query and fragment with PKCE, and ends with a code', async () => {
    const { client, email, next } = await changing(true)
    const half = await open(linkIn(auth.mailTo(next)))
    const message = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'
    expect(half.searchParams.get('message')).toBe(message)
    expect(new URLSearchParams(half.hash.slice(1)).get('message')).toBe(message)
    const done = await open(linkIn(auth.mailTo(email)))
    const { data, error } = await client.auth.exchangeCodeForSession(done.searchParams.get('code') ?? '')
    expect([error, data.user?.email]).toEqual([null, next])
  })

  test('invalidates the first links if requested again', async () => {
    const { client, email, next } = await changing()
    const old = [hashIn(email), hashIn(next)]
    auth.clock.advance(2)
    await client.auth.updateUser({ email: next })
    for (const token_hash of old) {
      expect(await post('/verify', { type: 'email_change', token_hash })).toMatchObject({ status: 403 })
    }
  })

  test('is rejected if another user has taken the address meanwhile', async () => {
    const { email, next } = await changing()
    await post('/verify', { type: 'email_change', token_hash: hashIn(email) })
    const token_hash = hashIn(next)
    await member(next)
    expect(await post('/verify', { type: 'email_change', token_hash })).toMatchObject({
      status: 422,
      body: { error_code: 'email_exists' },
    })
  })
})

describe('an anonymous user becomes permanent', () => {
  const settings = `
[auth]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
15550001 = "000000"
15550002 = "000000"
`
  let own: TestAuth
  beforeAll(async () => {
    own = await startTestAuth(settings)
  })
  afterAll(() => own.close())

  test.each([
    ['an address', { email: 'one@example.com' }, 'email'],
    ['an address and a password', { email: 'two@example.com', password }, 'email'],
    ['a phone number', { phone: '15550001' }, 'phone'],
    ['a phone number and a password', { phone: '15550002', password }, 'phone'],
  ] as const)('by %s, once it is confirmed', async (_name, update, provider) => {
    const client = own.client()
    const { data: begun } = await client.auth.signInAnonymously()
    const asked = await client.auth.updateUser(update)
    expect(asked.error).toBeNull()
    expect(asked.data.user).toMatchObject({ is_anonymous: true, identities: [] })
    const proof =
      'email' in update
        ? ({ type: 'email_change', email: update.email, token: codeIn(own.mailTo(update.email)) } as const)
        : ({ type: 'phone_change', phone: update.phone, token: '000000' } as const)
    const { data, error } = await client.auth.verifyOtp(proof)
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      id: begun.user?.id,
      is_anonymous: false,
      app_metadata: { provider, providers: [provider] },
      identities: [{ provider }],
      [provider]: Object.values(update)[0],
      [`${provider}_confirmed_at`]: expect.any(String),
    })
  })

  test.each([
    [true, false],
    [false, true],
  ])('through an administrator, address confirmed: %s', async (email_confirm, is_anonymous) => {
    const { data } = await own.client().auth.signInAnonymously()
    const email = `admin-${email_confirm}@example.com`
    const admin = own.client({ secret: true }).auth.admin
    const updated = await admin.updateUserById(data.user?.id ?? '', { email, email_confirm })
    expect(updated.data.user).toMatchObject({ email, is_anonymous, identities: [{ provider: 'email' }] })
  })
})

test.each([
  ['http://localhost:3000/#/', ['http://localhost:3000'], 'http://localhost:3000/#/', 'http://localhost:3000/#/'],
  ['https://a.test/#/', ['http://localhost:3000'], 'http://localhost:3000', 'http://localhost:3000'],
  ['https://a.test/#/', ['http://localhost:3000'], 'http://localhost:3000/docs', 'https://a.test/#/'],
  [
    'http://sub.test.dev:3000/#/',
    ['http://*.test.dev:3000'],
    'http://sub.test.dev:3000/#/',
    'http://sub.test.dev:3000/#/',
  ],
  ['http://test.dev:3000/#/', ['http://*.allowed.dev:3000'], 'http://sub.test.dev:3000/#/', 'http://test.dev:3000/#/'],
  ['http://test.dev:3000/#/', ['twitter://timeline'], 'twitter://timeline', 'twitter://timeline'],
  ['http://test.dev:3000/#/', ['com.example.app://**'], 'com.example.app://sign-in/v2', 'com.example.app://sign-in/v2'],
  ['http://localhost:3000', ['http://*.*.dev:3000'], 'http://foo.bar.dev:3000', 'http://foo.bar.dev:3000'],
  ['http://localhost:3000', ['http://*.dev:3000'], 'http://foo.bar.dev:3000', 'http://localhost:3000'],
  [
    'http://localhost:3000',
    ['http://test.dev:3000/*/*'],
    'http://test.dev:3000/bar/foo',
    'http://test.dev:3000/bar/foo',
  ],
  ['http://localhost:3000', ['http://*.example.com/*'], 'http://something#.example.com/abc', 'http://localhost:3000'],
  ['http://localhost:3000', ['http://*.example.com/*'], 'http://japanese。.example.com/abc', 'http://localhost:3000'],
  ['http://localhost:3000', ['com.myapp://**'], 'com.myapp://', 'com.myapp:'],
])('from %s with %j, the target %s leads to %s', (site, allowed, target, expected) => {
  expect(
    createRedirectRules({ site_url: site, additional_redirect_urls: allowed }).choose([target]).startsWith(expected),
  ).toBe(true)
})

test.each([
  ['an unknown token', '', '/', ''],
  ['with a query of its own', '?test=param', '/?test=param', ''],
  [
    'within PKCE',
    '?error=mine',
    '/?error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired',
    'pkce_',
  ],
])('reports an invalid link: %s', async (_name, query, path, prefix) => {
  const target = await open(link({ type: 'signup', token: `${prefix}none`, redirect_to: `https://app.test/${query}` }))
  expect(target.href).toBe(
    `https://app.test${path}#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb=`,
  )
})
