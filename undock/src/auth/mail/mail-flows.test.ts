import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeIn, linkIn, startTestAuth, type TestAuth } from '../../testing/auth.ts'

const SETTINGS = `
[auth]
site_url = "http://localhost:3000"
additional_redirect_urls = ["https://app.example.com/**"]
[auth.email]
enable_confirmations = true
secure_password_change = true
[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.email_changed]
enabled = true
`

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS)
})
afterAll(() => auth.close())

let count = 0
const newAddress = () => `reader${++count}@example.com`
const password = 'correct horse'

async function open(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' })
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location') ?? '')
}

const fragmentOf = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

async function signedUp(email = newAddress(), flowType: 'implicit' | 'pkce' = 'implicit') {
  const client = auth.client({ flowType })
  await client.auth.signUp({ email, password })
  const { error } = await client.auth.verifyOtp({ email, token: codeIn(auth.mailTo(email)), type: 'signup' })
  expect(error).toBeNull()
  auth.clock.advance(2)
  return { client, email }
}

describe('sign-up with confirmation', () => {
  test('sends a link that opens a session', async () => {
    const email = newAddress()
    const { data, error } = await auth.client().auth.signUp({ email, password })
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    expect(data.user).toMatchObject({ email, role: 'authenticated', identities: [{ provider: 'email' }] })
    expect(data.user?.confirmation_sent_at).toBe(auth.clock.now().toISOString())
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toMatchObject({
      status: 400,
      code: 'email_not_confirmed',
      message: 'Email not confirmed',
    })
    const mail = auth.mailTo(email)
    expect(mail).toMatchObject({ from: '"Admin" <admin@email.com>', subject: 'Confirm your email address' })
    const target = await open(linkIn(mail))
    expect(target.origin).toBe('http://localhost:3000')
    expect(fragmentOf(target)).toMatchObject({ type: 'signup', token_type: 'bearer', expires_in: '3600', sb: '' })
    const user = await auth.client().auth.getUser(fragmentOf(target).access_token)
    expect(user.data.user).toMatchObject({ email, user_metadata: { email_verified: true } })
    expect(user.data.user?.identities?.[0]?.identity_data).toMatchObject({ email_verified: true })
  })

  test('sends a link that is valid once and for an hour', async () => {
    const email = newAddress()
    await auth.client().auth.signUp({ email, password })
    const link = linkIn(auth.mailTo(email))
    auth.clock.advance(3601)
    const expired = await open(link)
    const refusal = {
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
      sb: '',
    }
    expect(fragmentOf(expired)).toEqual(refusal)
    await auth.client().auth.resend({ type: 'signup', email })
    const fresh = linkIn(auth.mailTo(email))
    expect(fresh).not.toBe(link)
    expect(fragmentOf(await open(fresh))).toHaveProperty('access_token')
    expect(fragmentOf(await open(fresh))).toEqual(refusal)
  })

  test('responds to a known address like to a new one, and sends nothing', async () => {
    const { email } = await signedUp()
    const before = auth.mails.length
    const { data, error } = await auth
      .client()
      .auth.signUp({ email, password: 'another one', options: { data: { a: 1 } } })
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    expect(Object.keys(data.user ?? {}).sort()).toEqual(
      [
        'id',
        'aud',
        'role',
        'email',
        'phone',
        'confirmation_sent_at',
        'app_metadata',
        'user_metadata',
        'identities',
        'created_at',
        'updated_at',
        'is_anonymous',
      ].sort(),
    )
    expect(data.user).toMatchObject({ email, role: '', identities: [], user_metadata: { a: 1 } })
    expect(auth.mails.length).toBe(before)
  })

  test('limits emails to the same address', async () => {
    const email = newAddress()
    await auth.client().auth.signUp({ email, password })
    const again = await auth.client().auth.resend({ type: 'signup', email })
    expect(again.error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
      message: 'For security purposes, you can only request this after 1 seconds.',
    })
  })

  test("PKCE: only the client that started the flow can exchange the link's code", async () => {
    const email = newAddress()
    const client = auth.client({ flowType: 'pkce' })
    await client.auth.signUp({
      email,
      password,
      options: { emailRedirectTo: 'https://app.example.com/welcome?next=1' },
    })
    const link = linkIn(auth.mailTo(email))
    expect(link).toContain('token=pkce_')
    const target = await open(link)
    expect(target.href).toMatch(/^https:\/\/app\.example\.com\/welcome\?next=1&code=[0-9a-f-]{36}$/)
    const code = target.searchParams.get('code') ?? ''
    const stranger = await fetch(`${auth.url}/auth/v1/token?grant_type=pkce`, {
      method: 'POST',
      body: JSON.stringify({ auth_code: code, code_verifier: 'x'.repeat(43) }),
    })
    expect(await stranger.json()).toMatchObject({ code: 400, error_code: 'bad_code_verifier' })
    expect((await client.auth.exchangeCodeForSession(code)).data.user).toMatchObject({ email })
    const replay = await fetch(`${auth.url}/auth/v1/token?grant_type=pkce`, {
      method: 'POST',
      body: JSON.stringify({ auth_code: code, code_verifier: 'x'.repeat(43) }),
    })
    expect(await replay.json()).toMatchObject({ code: 404, error_code: 'flow_state_not_found' })
  })
})

describe('magic link and code', () => {
  test('signs in with a code once', async () => {
    const { email } = await signedUp()
    expect((await auth.client().auth.signInWithOtp({ email })).error).toBeNull()
    const mail = auth.mailTo(email)
    expect(mail.subject).toBe('Your sign-in link')
    const token = codeIn(mail)
    const wrong = token === '000000' ? '111111' : '000000'
    const refusal = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }
    expect((await auth.client().auth.verifyOtp({ email, token: wrong, type: 'email' })).error).toMatchObject(refusal)
    expect((await auth.client().auth.verifyOtp({ email, token, type: 'email' })).data.user).toMatchObject({ email })
    expect((await auth.client().auth.verifyOtp({ email, token, type: 'email' })).error).toMatchObject(refusal)
  })

  test("signs in with the token's hash, like server-side apps", async () => {
    const { email } = await signedUp()
    await auth.client().auth.signInWithOtp({ email })
    const token_hash = new URL(linkIn(auth.mailTo(email))).searchParams.get('token') ?? ''
    const { data } = await auth.client().auth.verifyOtp({ token_hash, type: 'email' })
    expect(data.session?.user).toMatchObject({ email })
  })

  test('creates an account for an unknown address unless disabled', async () => {
    const email = newAddress()
    const refused = await auth.client().auth.signInWithOtp({ email, options: { shouldCreateUser: false } })
    expect(refused.error).toMatchObject({ status: 422, code: 'otp_disabled', message: 'Signups not allowed for otp' })
    await auth.client().auth.signInWithOtp({ email, options: { data: { from: 'otp' } } })
    const { data } = await auth.client().auth.verifyOtp({ email, token: codeIn(auth.mailTo(email)), type: 'email' })
    expect(data.user).toMatchObject({ email, user_metadata: { from: 'otp' } })
  })

  test('accepts a code in only one of two concurrent requests', async () => {
    const { email } = await signedUp()
    await auth.client().auth.signInWithOtp({ email })
    const token = codeIn(auth.mailTo(email))
    const answers = await Promise.all(
      [1, 2, 3].map(() => auth.client().auth.verifyOtp({ email, token, type: 'email' })),
    )
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
  })
})

describe('recovery', () => {
  test('opens a session that may set a new password', async () => {
    const { email } = await signedUp()
    const { error } = await auth
      .client()
      .auth.resetPasswordForEmail(email, { redirectTo: 'https://app.example.com/reset' })
    expect(error).toBeNull()
    expect(auth.mailTo(email).subject).toBe('Reset your password')
    const target = await open(linkIn(auth.mailTo(email)))
    expect(target.href.split('#')[0]).toBe('https://app.example.com/reset')
    const session = fragmentOf(target)
    expect(session.type).toBe('recovery')
    const client = auth.client()
    await client.auth.setSession({
      access_token: session.access_token ?? '',
      refresh_token: session.refresh_token ?? '',
    })
    expect((await client.auth.updateUser({ password: 'battery staple' })).error).toBeNull()
    expect(auth.mailTo(email).subject).toBe('Your password was changed')
    expect((await auth.client().auth.signInWithPassword({ email, password: 'battery staple' })).error).toBeNull()
  })

  test('does not reveal whether an account exists', async () => {
    const before = auth.mails.length
    const { data, error } = await auth.client().auth.resetPasswordForEmail('stranger@example.com')
    expect({ data, error }).toEqual({ data: {}, error: null })
    expect(auth.mails.length).toBe(before)
  })
})

describe('change of address', () => {
  test('must be confirmed from both mailboxes in any order', async () => {
    const { client, email } = await signedUp()
    const next = newAddress()
    const asked = await client.auth.updateUser({ email: next })
    expect(asked.data.user).toMatchObject({ email, new_email: next })
    const first = await open(linkIn(auth.mailTo(next)))
    expect(fragmentOf(first)).toEqual({
      message: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      sb: '',
    })
    expect((await client.auth.getUser()).data.user?.email).toBe(email)
    const second = await open(linkIn(auth.mailTo(email)))
    expect(fragmentOf(second)).toMatchObject({ type: 'email_change' })
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ email: next, identities: [{ email: next }] })
    expect(data.user).not.toHaveProperty('new_email')
    expect(auth.mailTo(email).subject).toBe('Your email address was changed')
  })

  test('can also be confirmed with the codes', async () => {
    const { client, email } = await signedUp()
    const next = newAddress()
    await client.auth.updateUser({ email: next })
    const half = await auth.client().auth.verifyOtp({ email, token: codeIn(auth.mailTo(email)), type: 'email_change' })
    expect(half.error).toBeNull()
    const done = await auth
      .client()
      .auth.verifyOtp({ email: next, token: codeIn(auth.mailTo(next)), type: 'email_change' })
    expect(done.data.user?.email).toBe(next)
  })

  test('to a taken address is rejected', async () => {
    const { client } = await signedUp()
    const { email: taken } = await signedUp()
    expect((await client.auth.updateUser({ email: taken })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
      message: 'A user with this email address has already been registered',
    })
  })
})

test('an old session needs a nonce to set a password', async () => {
  const { client, email } = await signedUp()
  auth.clock.advance(25 * 3600)
  await client.auth.refreshSession()
  const refused = await client.auth.updateUser({ password: 'battery staple' })
  expect(refused.error).toMatchObject({ status: 400, code: 'reauthentication_needed' })
  expect((await client.auth.reauthenticate()).error).toBeNull()
  const nonce = codeIn(auth.mailTo(email))
  expect(auth.mailTo(email).subject).toBe(`${nonce} is your verification code`)
  const wrong = await client.auth.updateUser({ password: 'battery staple', nonce: '000000x' })
  expect(wrong.error).toMatchObject({ status: 422, code: 'reauthentication_not_valid' })
  expect((await client.auth.updateUser({ password: 'battery staple', nonce })).error).toBeNull()
})

test('an invitation creates an account for the recipient to accept', async () => {
  const email = newAddress()
  const admin = auth.client({ secret: true })
  const { data } = await admin.auth.admin.inviteUserByEmail(email, {
    data: { team: 'blue' },
    redirectTo: 'https://app.example.com/join',
  })
  expect(data.user).toMatchObject({ email, user_metadata: { team: 'blue' } })
  expect(auth.mailTo(email).subject).toBe("You've been invited")
  const target = await open(linkIn(auth.mailTo(email)))
  expect(target.href).toContain('https://app.example.com/join#')
  expect(fragmentOf(target).type).toBe('invite')
  expect((await admin.auth.admin.inviteUserByEmail(email)).error).toMatchObject({ code: 'email_exists' })
})

describe('generated links', () => {
  test.each(['signup', 'invite', 'magiclink', 'recovery'] as const)('%s', async (type) => {
    const admin = auth.client({ secret: true })
    const email = type === 'recovery' || type === 'magiclink' ? (await signedUp()).email : newAddress()
    const { data, error } = await admin.auth.admin.generateLink({ type, email, password } as {
      type: 'signup'
      email: string
      password: string
    })
    expect(error).toBeNull()
    expect(data.properties).toMatchObject({ verification_type: type, redirect_to: 'http://localhost:3000' })
    expect(data.user).toMatchObject({ email })
    const target = await open(data.properties?.action_link ?? '')
    expect(fragmentOf(target)).toMatchObject({ type })
    const { email_otp: token = '' } = data.properties ?? {}
    expect(token).toMatch(/^\d{6}$/)
  })

  test('for a change of address', async () => {
    const { email } = await signedUp()
    const admin = auth.client({ secret: true })
    const newEmail = newAddress()
    const current = await admin.auth.admin.generateLink({ type: 'email_change_current', email, newEmail })
    const next = await admin.auth.admin.generateLink({ type: 'email_change_new', email, newEmail })
    expect(fragmentOf(await open(current.data.properties?.action_link ?? ''))).toHaveProperty('message')
    expect(fragmentOf(await open(next.data.properties?.action_link ?? ''))).toMatchObject({ type: 'email_change' })
    expect((await auth.client().auth.signInWithPassword({ email: newEmail, password })).error).toBeNull()
  })
})
