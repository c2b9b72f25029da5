import { createHash } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../testing/auth.ts'
import { type Account, startIdentityProvider } from '../../../testing/identity-provider.ts'

let account: Account
let idp: Awaited<ReturnType<typeof startIdentityProvider>>
let auth: TestAuth
beforeAll(async () => {
  idp = await startIdentityProvider(async () => account)
  auth = await startTestAuth(`
[auth]
site_url = "http://localhost:3000"
enable_manual_linking = true
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
[auth.external.keycloak]
enabled = true
client_id = "app"
secret = "idp-secret"
url = "${idp.issuer}"
[auth.external.github]
enabled = true
client_id = "gh"
secret = "gh-secret"
`)
  idp.mount(`${auth.url}/auth/v1/callback`)
})
afterAll(async () => {
  await auth.close()
  await idp.close()
})

let count = 0
beforeEach(() => {
  count += 1
  account = { sub: `sub-${count}`, email: `ada${count}@idp.test`, email_verified: true, name: 'Ada' }
})

/** Follows redirects with cookies until they leave both servers. @returns the last URL */
async function follow(start: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  for (let hop = 0; hop < 15; hop++) {
    if (!url.startsWith(auth.url) && !url.startsWith('http://127.0.0.1')) return new URL(url)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${response.status} from ${url}: ${await response.text()}`)
    url = new URL(location, url).href
  }
  throw new Error('too many redirects')
}

const fragmentOf = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

async function start(client: SupabaseClient, queryParams: Record<string, string> = {}) {
  const { data, error } = await client.auth.signInWithOAuth({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true, scopes: 'openid', queryParams },
  })
  if (error) throw error
  return data.url
}

describe('an external provider', () => {
  test('signs in with an authorization code from Auth (PKCE)', async () => {
    const client = auth.client({ flowType: 'pkce' })
    const target = await follow(await start(client))
    expect(target.origin).toBe('http://localhost:3000')
    const { data, error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.session?.provider_token).toEqual(expect.any(String))
    expect(data.user).toMatchObject({
      email: account.email,
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
      user_metadata: {
        name: 'Ada',
        full_name: 'Ada',
        email_verified: true,
        iss: idp.issuer,
        sub: account.sub,
      },
      identities: [{ provider: 'keycloak', id: account.sub, identity_data: { email: account.email } }],
    })
    expect((await auth.identity.verify(data.session?.access_token ?? '')).claims.amr).toMatchObject([
      { method: 'oauth' },
    ])
  })

  test('signs in with a session in the fragment (implicit), and again with the same account', async () => {
    const first = fragmentOf(await follow(await start(auth.client())))
    expect(first).toMatchObject({ token_type: 'bearer', provider_token: expect.any(String), sb: '' })
    const again = fragmentOf(await follow(await start(auth.client())))
    const ids = await Promise.all(
      [first, again].map(async ({ access_token }) => (await auth.identity.verify(access_token ?? '')).claims.sub),
    )
    expect(ids[0]).toBe(ids[1])
  })

  test('links to the account that has the same verified address', async () => {
    const { email } = account
    const made = await auth
      .client({ secret: true })
      .auth.admin.createUser({ email, password: 'correct horse', email_confirm: true })
    const session = fragmentOf(await follow(await start(auth.client())))
    const { data } = await auth.client().auth.getUser(session.access_token)
    expect(data.user?.id).toBe(made.data.user?.id)
    expect(data.user?.identities?.map(({ provider }) => provider).sort()).toEqual(['email', 'keycloak'])
  })

  test("doesn't sign in to an existing account by an address the provider hasn't verified", async () => {
    const { email } = account
    await auth.client({ secret: true }).auth.admin.createUser({ email, password: 'correct horse', email_confirm: true })
    account.email_verified = false
    expect(fragmentOf(await follow(await start(auth.client())))).toMatchObject({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
    })
  })

  test('takes over an account whose creator never verified the address, and removes its password', async () => {
    const { email } = account
    await auth.client().auth.signUp({ email, password: 'of someone else', options: { data: { evil: true } } })
    const session = fragmentOf(await follow(await start(auth.client())))
    const { data } = await auth.client().auth.getUser(session.access_token)
    expect(data.user?.identities).toMatchObject([{ provider: 'keycloak' }])
    expect(data.user?.user_metadata).not.toHaveProperty('evil')
    expect((await auth.client().auth.signInWithPassword({ email, password: 'of someone else' })).error).toMatchObject({
      code: 'invalid_credentials',
    })
  })

  test('accepts an invitation once and only for its address', async () => {
    const { email } = account
    const admin = auth.client({ secret: true }).auth.admin
    const link = await admin.generateLink({ type: 'invite', email })
    const token = link.data.properties?.hashed_token ?? ''
    const invited = { ...account }
    account = { ...invited, sub: `other-${count}`, email: `other${count}@idp.test` }
    const foreign = fragmentOf(await follow(await start(auth.client(), { invite_token: token })))
    expect(foreign.error_description).toBe('Invited email does not match emails from external provider')
    account = invited
    const session = fragmentOf(await follow(await start(auth.client(), { invite_token: token })))
    const { data } = await auth.client().auth.getUser(session.access_token)
    expect(data.user).toMatchObject({
      id: link.data.user?.id,
      email_confirmed_at: expect.any(String),
      identities: [{ provider: 'keycloak' }],
      user_metadata: { name: 'Ada' },
    })
    const again = await fetch(`${auth.url}/auth/v1/authorize?provider=keycloak&invite_token=${token}`)
    expect(await again.json()).toMatchObject({ code: 404, error_code: 'user_not_found' })
  })

  test('a new account with an unverified address must be confirmed by email', async () => {
    account.email_verified = false
    const refused = fragmentOf(await follow(await start(auth.client())))
    expect(refused).toMatchObject({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description: 'Unverified email with keycloak. A confirmation email has been sent to your keycloak email',
    })
    expect(auth.mailTo(account.email).subject).toBe('Confirm your email address')
  })

  test("a client can't override the parameters that Auth sets", async () => {
    const url = new URL(
      await start(auth.client(), {
        redirect_uri: 'https://evil.example',
        state: 'x',
        client_id: 'evil',
        login_hint: 'ada',
      }),
    )
    const response = await fetch(url, { redirect: 'manual' })
    const sent = new URL(response.headers.get('location') ?? '').searchParams
    expect(Object.fromEntries(sent)).toMatchObject({
      client_id: 'app',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      response_type: 'code',
      login_hint: 'ada',
    })
    expect(sent.get('state')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([
    ['no state', '', 'bad_oauth_callback', 'OAuth state parameter missing'],
    ['an invalid state', 'state=x', 'bad_oauth_state', 'OAuth state parameter is invalid'],
    [
      'an unknown state',
      'state=aaaaaaaa-0000-4000-8000-000000000001&code=x',
      'bad_oauth_state',
      'OAuth state not found or expired',
    ],
  ])('%s redirects to the site with an error', async (_name, query, error_code, error_description) => {
    const response = await fetch(`${auth.url}/auth/v1/callback?${query}`, { redirect: 'manual' })
    const target = new URL(response.headers.get('location') ?? '')
    expect(target.origin).toBe('http://localhost:3000')
    expect(Object.fromEntries(target.searchParams)).toEqual({ error: 'invalid_request', error_code, error_description })
  })

  test('a state is valid once and for five minutes, and a wrong code or denial is reported', async () => {
    const begin = async () => {
      const response = await fetch(await start(auth.client()), { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? '').searchParams.get('state')
    }
    const come = async (query: string) =>
      fragmentOf(
        new URL(
          (await fetch(`${auth.url}/auth/v1/callback?${query}`, { redirect: 'manual' })).headers.get('location') ?? '',
        ),
      )
    const state = await begin()
    expect(await come(`state=${state}&code=forged`)).toMatchObject({
      error: 'server_error',
      error_description: 'Unable to exchange external code: forg',
    })
    expect(
      (await fetch(`${auth.url}/auth/v1/callback?state=${state}&code=forged`, { redirect: 'manual' })).headers.get(
        'location',
      ),
    ).toContain('bad_oauth_state')
    expect(await come(`state=${await begin()}&error=access_denied&error_description=No`)).toMatchObject({
      error: 'access_denied',
      error_description: 'No',
    })
    const late = await begin()
    auth.clock.advance(301)
    expect(
      (await fetch(`${auth.url}/auth/v1/callback?state=${late}&code=x`, { redirect: 'manual' })).headers.get(
        'location',
      ),
    ).toContain('expired')
  })

  test.each([
    ['google', 'Unsupported provider: provider is not enabled'],
    ['nobody', 'Unsupported provider: Provider nobody could not be found'],
    ['constructor', 'Unsupported provider: Provider constructor could not be found'],
  ])('rejects %s', async (provider, msg) => {
    const response = await fetch(`${auth.url}/auth/v1/authorize?provider=${provider}`, { redirect: 'manual' })
    expect(await response.json()).toEqual({ code: 400, error_code: 'validation_failed', msg })
  })

  test('GitHub uses the address of github.com by default', async () => {
    const response = await fetch(`${auth.url}/auth/v1/authorize?provider=github&scopes=read:org`, {
      redirect: 'manual',
    })
    const url = new URL(response.headers.get('location') ?? '')
    expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize')
    expect(url.searchParams.get('scope')).toBe('user:email read:org')
  })
})

describe('linking', () => {
  async function signedIn() {
    const client = auth.client()
    const email = `own${count}@example.com`
    await auth.client({ secret: true }).auth.admin.createUser({ email, password: 'correct horse', email_confirm: true })
    await client.auth.signInWithPassword({ email, password: 'correct horse' })
    return client
  }

  test('adds an identity to the account, which can be removed unless it is the last', async () => {
    const client = await signedIn()
    const { data } = await client.auth.linkIdentity({
      provider: 'keycloak',
      options: { skipBrowserRedirect: true, scopes: 'openid' },
    })
    expect(fragmentOf(await follow(data.url ?? ''))).toHaveProperty('access_token')
    const identities = (await client.auth.getUserIdentities()).data?.identities ?? []
    expect(identities.map(({ provider }) => provider).sort()).toEqual(['email', 'keycloak'])
    const linked = identities.find(({ provider }) => provider === 'keycloak')
    if (!linked) throw new Error('not linked')
    expect((await client.auth.unlinkIdentity(linked)).error).toBeNull()
    const [last] = (await client.auth.getUserIdentities()).data?.identities ?? []
    if (!last) throw new Error('nothing left')
    expect((await client.auth.unlinkIdentity(last)).error).toMatchObject({
      status: 422,
      code: 'single_identity_not_deletable',
    })
  })

  test('rejects an identity of another account', async () => {
    await follow(await start(auth.client()))
    const client = await signedIn()
    const { data } = await client.auth.linkIdentity({
      provider: 'keycloak',
      options: { skipBrowserRedirect: true, scopes: 'openid' },
    })
    expect(fragmentOf(await follow(data.url ?? ''))).toMatchObject({
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    })
  })

  test('turns an anonymous user into a permanent one', async () => {
    const client = auth.client()
    await client.auth.signInAnonymously()
    const { data } = await client.auth.linkIdentity({
      provider: 'keycloak',
      options: { skipBrowserRedirect: true, scopes: 'openid' },
    })
    await follow(data.url ?? '')
    expect((await client.auth.getUser()).data.user).toMatchObject({
      is_anonymous: false,
      email: account.email,
    })
  })
})

describe('ID tokens', () => {
  const token = (claims: Record<string, unknown> = {}, signature?: Parameters<typeof idp.sign>[1]) => {
    const now = Math.floor(auth.clock.now().getTime() / 1000)
    return idp.sign({ iss: idp.issuer, aud: 'app', iat: now, exp: now + 60, ...account, ...claims }, signature)
  }
  const hashed = (nonce: string) => createHash('sha256').update(nonce).digest('hex')
  const signIn = async (given: { token: string; nonce?: string }) =>
    auth.client().auth.signInWithIdToken({ provider: 'keycloak', ...given })

  test('sign in, with a nonce or without', async () => {
    expect((await signIn({ token: await token() })).data.user).toMatchObject({ email: account.email })
    expect((await signIn({ token: await token({ nonce: hashed('n') }), nonce: 'n' })).error).toBeNull()
  })

  test.each(['RS512', 'ES384', 'PS256'])('are accepted with a signature by %s', async (alg) => {
    expect((await signIn({ token: await token({}, { alg }) })).data.user).toMatchObject({ email: account.email })
  })

  test.each([
    ['another audience', { aud: 'other' }, undefined, 'Unacceptable audience in id_token: [other]'],
    ['another issuer', { iss: 'https://evil.example' }, undefined, 'Bad ID token'],
    ['a past expiry', { exp: 1 }, undefined, 'Bad ID token'],
    ['a foreign nonce', { nonce: 'x' }, 'n', 'Nonces mismatch'],
    [
      'a one-sided nonce',
      { nonce: 'x' },
      undefined,
      'Passed nonce and nonce in id_token should either both exist or not.',
    ],
    ['no subject', { sub: '' }, undefined, 'Missing sub claim in id_token'],
  ])('rejects %s', async (_name, claims, nonce, message) => {
    const { error } = await signIn({ token: await token(claims), ...(nonce ? { nonce } : {}) })
    expect(error).toMatchObject({ status: 400, message })
  })

  test('are rejected if malformed, signed with another key or from a disabled provider', async () => {
    expect((await signIn({ token: 'x' })).error).toMatchObject({ message: 'Bad ID token' })
    expect((await signIn({ token: await token({}, { kid: 'unknown' }) })).error).toMatchObject({
      message: 'Bad ID token',
    })
    const google = await auth.client().auth.signInWithIdToken({ provider: 'google', token: await token() })
    expect(google.error).toMatchObject({
      code: 'provider_disabled',
      message: 'Provider (issuer "https://accounts.google.com") is not enabled',
    })
  })
})
