import { createHash, randomBytes } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretBasic,
  Configuration,
  enableNonRepudiationChecks,
  fetchUserInfo,
  refreshTokenGrant,
} from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

const REDIRECT = 'http://localhost:9999/callback'

let auth: TestAuth
let admin: SupabaseClient['auth']['admin']['oauth']
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
site_url = "http://localhost:3000/"
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
`)
  admin = auth.client({ secret: true }).auth.admin.oauth
})
afterAll(() => auth.close())

async function signedUp(name: string) {
  const client = auth.client()
  const { data } = await client.auth.signUp({
    email: `${name}@example.com`,
    password: 'correct horse',
    options: { data: { name } },
  })
  return { client, id: data.user?.id ?? '', token: data.session?.access_token ?? '' }
}

async function newClient(method: 'client_secret_basic' | 'client_secret_post' | 'none' = 'client_secret_basic') {
  const { data, error } = await admin.createClient({
    client_name: 'App',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: method,
  })
  if (error) throw error
  return data as NonNullable<typeof data>
}

const newVerifier = () => randomBytes(32).toString('base64url')
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

async function authorize(params: Record<string, string>) {
  const response = await fetch(`${auth.url}/auth/v1/oauth/authorize?${new URLSearchParams(params)}`, {
    redirect: 'manual',
  })
  const location = response.headers.get('location')
  return { status: response.status, location: location ? new URL(location) : null, response }
}

async function ask(clientId: string, verifier: string, extra: Record<string, string> = {}) {
  const { location } = await authorize({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...extra,
  })
  return location?.searchParams.get('authorization_id') ?? ''
}

async function approved(
  client: SupabaseClient,
  clientId: string,
  verifier: string,
  extra: Record<string, string> = {},
) {
  const id = await ask(clientId, verifier, extra)
  await client.auth.oauth.getAuthorizationDetails(id)
  const { data } = await client.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })
  return new URL(data?.redirect_url ?? '').searchParams.get('code') ?? ''
}

async function token(form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${auth.url}/auth/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })

describe('clients', () => {
  test('can be created, listed, read, changed, given a new secret and deleted', async () => {
    const made = await newClient()
    expect(made).toEqual({
      client_id: expect.any(String),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_type: 'confidential',
      client_name: 'App',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      registration_type: 'manual',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { client_secret: secret, ...shown } = made
    expect((await admin.listClients()).data.clients).toContainEqual(shown)
    expect((await admin.getClient(made.client_id)).data).toEqual(shown)
    const changed = await admin.updateClient(made.client_id, { client_name: 'Other', logo_uri: 'https://x.test/l.png' })
    expect(changed.data).toMatchObject({ client_name: 'Other', logo_uri: 'https://x.test/l.png' })
    const renewed = await admin.regenerateClientSecret(made.client_id)
    expect(renewed.data?.client_secret).not.toBe(secret)
    expect((await admin.deleteClient(made.client_id)).error).toBeNull()
    expect((await admin.getClient(made.client_id)).error).toMatchObject({ status: 404, code: 'oauth_client_not_found' })
  })

  test('can register themselves', async () => {
    const response = await fetch(`${auth.url}/auth/v1/oauth/clients/register`, {
      method: 'POST',
      body: JSON.stringify({ redirect_uris: ['myapp://callback'], token_endpoint_auth_method: 'none' }),
    })
    expect(response.status).toBe(201)
    const body = (await response.json()) as object
    expect(body).toMatchObject({ client_type: 'public', registration_type: 'dynamic' })
    expect(body).not.toHaveProperty('client_secret')
  })

  test('can have web, loopback and app redirect URIs', async () => {
    const uris = [
      'https://x.test/cb?a=b',
      'https://x_y.test:8443/cb',
      'http://localhost:3000/',
      'http://127.0.0.1:5000/cb',
      'http://[::1]:5000/cb',
      'com.example.app://oauth2redirect/cb',
      'cursor://anysphere.cursor-retrieval/oauth/cb',
    ]
    const { data } = await admin.createClient({ client_name: 'App', redirect_uris: uris })
    expect(data?.redirect_uris).toEqual(uris)
    const { error } = await admin.updateClient(data?.client_id ?? '', { redirect_uris: ['https://x.test/cb '] })
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test.each<[params: object, message: string]>([
    [{ redirect_uris: [] }, '400: redirect_uris is required'],
    [{ redirect_uris: Array(11).fill(REDIRECT) }, '400: redirect_uris cannot exceed 10 items'],
    [{ redirect_uris: ['javascript:alert(1)//x'] }, "scheme 'javascript' is not allowed for security reasons"],
    [{ redirect_uris: ['http://evil.example/cb'] }, 'HTTP scheme only allowed for localhost'],
    [{ redirect_uris: ['https://x.test/#f'] }, 'fragment not allowed in redirect URI'],
    [{ redirect_uris: ['https://x.test/#'] }, 'fragment not allowed in redirect URI'],
    [{ redirect_uris: ['/relative'] }, 'must have scheme and host'],
    ...['\n', '\r\n', '\t', ' ', '\u007f', '\u0085', '\u00a0', '\u2028', '\\'].flatMap((character) =>
      [`https://x.test/cb${character}`, `${character}https://x.test/cb`, `https://x.t${character}est/cb`].map(
        (uri): [object, string] => [{ redirect_uris: [uri] }, 'invalid URL format'],
      ),
    ),
    [{ redirect_uris: ['https://user@x.test/cb'] }, 'user name and password not allowed in redirect URI'],
    [{ redirect_uris: ['https://:secret@x.test/cb'] }, 'user name and password not allowed in redirect URI'],
    [{ redirect_uris: ['myapp://x.test@evil.test/cb'] }, 'user name and password not allowed in redirect URI'],
    ...[
      '*',
      '*.x.test',
      '%2a.x.test',
      'x.test%00',
      'ｘ.test',
      'bücher.test',
      '2130706433',
      '0x7f.1',
      '[::1%25eth0]',
    ].map((host): [object, string] => [{ redirect_uris: [`https://${host}/cb`] }, 'invalid redirect_uri']),
    [{ redirect_uris: ['myapp://*/cb'] }, 'the host may contain only letters'],
    [{ redirect_uris: ['http://127.0.0.1.evil.test/cb'] }, 'HTTP scheme only allowed for localhost'],
    [{ redirect_uris: [REDIRECT], grant_types: ['password'] }, "grant_types must only contain 'authorization_code'"],
    [{ redirect_uris: [REDIRECT], client_name: 'x'.repeat(1025) }, 'client_name cannot exceed 1024 characters'],
    [{ redirect_uris: [REDIRECT], client_uri: 'nothing' }, 'client_uri must be a valid URL'],
    [{ redirect_uris: [REDIRECT], client_uri: 'javascript:alert(1)' }, 'client_uri must be a valid URL'],
    [{ redirect_uris: [REDIRECT], logo_uri: 'data:text/html,x' }, 'logo_uri must be a valid URL'],
    [
      { redirect_uris: [REDIRECT], client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
      'inconsistent',
    ],
  ])('reject %j', async (params, message) => {
    const { error } = await admin.createClient({ client_name: 'x', ...params } as Parameters<
      typeof admin.createClient
    >[0])
    expect(error).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining(message) })
  })

  test('are managed only by administrators', async () => {
    const { client } = await signedUp('nobody')
    expect((await client.auth.admin.oauth.listClients()).error).toMatchObject({ status: expect.any(Number) })
    const { data } = await auth.client({ secret: true }).auth.admin.oauth.listClients()
    expect(data.clients.length).toBeGreaterThan(0)
  })
})

/** A relying party with the official library. The issuer names the default port, so point its endpoints to ours. */
async function relyingParty(id: string, secret: string) {
  const document = (await (await fetch(`${auth.url}/auth/v1/.well-known/oauth-authorization-server`)).json()) as {
    issuer: string
  }
  const moved = Object.entries(document).map(([name, value]) => [
    name,
    typeof value === 'string' && name !== 'issuer' ? value.replace(new URL(document.issuer).origin, auth.url) : value,
  ])
  const configuration = new Configuration(Object.fromEntries(moved), id, secret, ClientSecretBasic(secret))
  allowInsecureRequests(configuration)
  enableNonRepudiationChecks(configuration)
  return configuration
}

test('a standard client signs in a user: discovery, consent, code, ID token, user info, refresh', async () => {
  const { client, id } = await signedUp('ada')
  const app = await newClient()
  const party = await relyingParty(app.client_id, app.client_secret ?? '')
  const verifier = newVerifier()
  const authorization = await ask(app.client_id, verifier, {
    scope: 'openid email profile',
    state: 's-1',
    nonce: 'n-1',
  })
  expect((await client.auth.oauth.getAuthorizationDetails(authorization)).data).toEqual({
    authorization_id: authorization,
    redirect_uri: REDIRECT,
    client: { id: app.client_id, name: 'App' },
    user: { id, email: 'ada@example.com' },
    scope: 'openid email profile',
  })
  const { data: consent } = await client.auth.oauth.approveAuthorization(authorization, { skipBrowserRedirect: true })
  const tokens = await authorizationCodeGrant(party, new URL(consent?.redirect_url ?? ''), {
    pkceCodeVerifier: verifier,
    expectedState: 's-1',
    expectedNonce: 'n-1',
    idTokenExpected: true,
  })
  expect(tokens.claims()).toMatchObject({ sub: id, aud: [app.client_id], email: 'ada@example.com', name: 'ada' })
  expect(await fetchUserInfo(party, tokens.access_token, id)).toMatchObject({
    sub: id,
    email: 'ada@example.com',
    email_verified: true,
    name: 'ada',
    user_metadata: { name: 'ada' },
  })
  const { claims } = await auth.identity.verify(tokens.access_token)
  expect(claims).toMatchObject({
    client_id: app.client_id,
    scope: 'openid email profile',
    role: 'authenticated',
    amr: [expect.objectContaining({ method: 'oauth_provider/authorization_code' })],
  })
  const next = await refreshTokenGrant(party, tokens.refresh_token ?? '')
  expect((await auth.identity.verify(next.access_token)).claims).toMatchObject({ client_id: app.client_id })
})

test('serves metadata at the path of RFC 8414', async () => {
  const paths = [
    '/auth/v1/.well-known/openid-configuration',
    '/auth/v1/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/auth/v1',
  ]
  const documents = await Promise.all(paths.map(async (path) => (await fetch(`${auth.url}${path}`)).json()))
  expect(documents[0]).toMatchObject({
    issuer: auth.identity.issuer,
    token_endpoint: `${auth.identity.issuer}/oauth/token`,
    registration_endpoint: `${auth.identity.issuer}/oauth/clients/register`,
    code_challenge_methods_supported: ['S256', 'plain'],
  })
  for (const document of documents) expect(document).toEqual(documents[0])
})

test('asks a user for the same consent again only after it was revoked', async () => {
  const { client } = await signedUp('again')
  const app = await newClient()
  const secret = basic(app.client_id, app.client_secret ?? '')
  const verifier = newVerifier()
  const code = await approved(client, app.client_id, verifier, { scope: 'email profile' })
  const { body } = await token({ grant_type: 'authorization_code', code, code_verifier: verifier }, secret)
  expect((await client.auth.oauth.listGrants()).data).toEqual([
    { client: { id: app.client_id, name: 'App' }, scopes: ['email', 'profile'], granted_at: expect.any(String) },
  ])
  const less = await client.auth.oauth.getAuthorizationDetails(await ask(app.client_id, verifier, { scope: 'email' }))
  expect(less.data).toEqual({ redirect_url: expect.stringContaining('?code=') })
  const more = await client.auth.oauth.getAuthorizationDetails(
    await ask(app.client_id, verifier, { scope: 'email phone' }),
  )
  expect(more.data).toMatchObject({ scope: 'email phone' })

  expect((await client.auth.oauth.revokeGrant({ clientId: app.client_id })).error).toBeNull()
  expect((await client.auth.oauth.listGrants()).data).toEqual([])
  expect((await client.auth.oauth.revokeGrant({ clientId: app.client_id })).error).toMatchObject({
    status: 404,
    code: 'oauth_consent_not_found',
  })
  const refreshed = await token({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' }, secret)
  expect(refreshed.body).toMatchObject({ error_code: 'refresh_token_not_found' })
})

test("denying redirects with an error, and a decision is final and only the user's own", async () => {
  const { client } = await signedUp('denier')
  const { client: other } = await signedUp('busybody')
  const app = await newClient()
  const id = await ask(app.client_id, newVerifier(), { state: 'kept' })
  expect((await other.auth.oauth.approveAuthorization(id)).error?.code).toBe('oauth_authorization_not_found')
  await client.auth.oauth.getAuthorizationDetails(id)
  expect((await other.auth.oauth.getAuthorizationDetails(id)).error?.code).toBe('oauth_authorization_not_found')
  const { data } = await client.auth.oauth.denyAuthorization(id)
  expect(Object.fromEntries(new URL(data?.redirect_url ?? '').searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'User denied the request',
    state: 'kept',
  })
  expect((await client.auth.oauth.approveAuthorization(id)).error?.message).toBe(
    'authorization request is no longer pending',
  )
  const late = await ask(app.client_id, newVerifier())
  auth.clock.advance(601)
  expect((await client.auth.oauth.getAuthorizationDetails(late)).error?.status).toBe(404)
})

test("a page of another site can't decide for a user", async () => {
  const { token: accessToken } = await signedUp('framed')
  const app = await newClient()
  const id = await ask(app.client_id, newVerifier())
  const read = (origin: string) =>
    fetch(`${auth.url}/auth/v1/oauth/authorizations/${id}`, {
      headers: { authorization: `Bearer ${accessToken}`, origin },
    })
  expect((await read('https://evil.example')).status).toBe(400)
  expect((await read('http://localhost:3000')).status).toBe(200)
})

describe('a code', () => {
  test('is exchanged once, even by concurrent requests', async () => {
    const { client } = await signedUp('twice')
    const app = await newClient('none')
    const verifier = newVerifier()
    const code = await approved(client, app.client_id, verifier)
    const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: app.client_id }
    const answers = await Promise.all([token(exchange), token(exchange)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code',
    })
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'PKCE verification failed'],
    ['no verifier', { code_verifier: '' }, 'PKCE verification failed'],
    ['another redirect', { redirect_uri: 'https://evil.example' }, 'Invalid redirect_uri'],
    ['another resource', { resource: 'https://api.test' }, 'does not match the resource parameter'],
    ['another code', { code: 'x' }, 'Invalid authorization code'],
  ])('with %s is rejected', async (name, change, description) => {
    const { client } = await signedUp(name.replaceAll(' ', '-'))
    const app = await newClient('none')
    const verifier = newVerifier()
    const code = await approved(client, app.client_id, verifier)
    const { status, body } = await token({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: app.client_id,
      ...change,
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'invalid_grant', error_description: expect.stringContaining(description) })
  })

  test('of another client is rejected', async () => {
    const { client } = await signedUp('confused')
    const [app, other] = [await newClient('none'), await newClient('none')]
    const verifier = newVerifier()
    const code = await approved(client, app.client_id, verifier)
    const { body } = await token({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: other.client_id,
    })
    expect(body.error_description).toBe('Authorization code was not issued for this client')
  })
})

test('a refresh token is valid only for its client', async () => {
  const { client } = await signedUp('mixed')
  const [app, other] = [await newClient('none'), await newClient('none')]
  const verifier = newVerifier()
  const code = await approved(client, app.client_id, verifier)
  const { body } = await token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: app.client_id,
  })
  const refresh_token = body.refresh_token ?? ''
  expect((await token({ grant_type: 'refresh_token', refresh_token, client_id: other.client_id })).body).toMatchObject({
    error: 'invalid_client',
    error_description: "Client does not match the session's OAuth client",
  })
  expect((await auth.client().auth.refreshSession({ refresh_token })).error?.message).toContain(
    'Client authentication required',
  )
  const { data } = await client.auth.getSession()
  const own = await token({
    grant_type: 'refresh_token',
    refresh_token: data.session?.refresh_token ?? '',
    client_id: app.client_id,
  })
  expect(own.body.error_description).toBe('Client authentication not allowed for non-OAuth session')
})

test('a client authenticates only with its registered method', async () => {
  const app = await newClient('client_secret_basic')
  const publicApp = await newClient('none')
  const id = app.client_id
  const secret = app.client_secret ?? ''
  const refusals: [Record<string, string>, Record<string, string>, string][] = [
    [{}, {}, 'Invalid client credentials: client_id is required'],
    [{ client_id: 'x' }, {}, 'Invalid client_id format'],
    [
      { client_id: id, client_secret: secret },
      {},
      "registered for 'client_secret_basic' but 'client_secret_post' was used",
    ],
    [{ client_id: id }, {}, "registered for 'client_secret_basic' but 'none' was used"],
    [{}, basic(id, 'wrong'), 'invalid client credentials'],
    [{}, { authorization: 'Basic ***' }, 'invalid basic auth encoding'],
    [{}, { authorization: `Basic ${btoa('x')}` }, 'invalid basic auth format'],
    [{ client_id: publicApp.client_id, client_secret: 'x' }, {}, "registered for 'none'"],
  ]
  for (const [form, headers, message] of refusals) {
    const { status, body } = await token({ grant_type: 'refresh_token', ...form }, headers)
    expect([status, body.error_code, body.msg]).toEqual([400, 'invalid_credentials', expect.stringContaining(message)])
  }
  const missing = await token({ grant_type: 'password' }, basic(id, secret))
  expect(missing.body.error).toBe('unsupported_grant_type')
})

describe('an authorization request', () => {
  test.each([
    ['no client', { client_id: '' }, 'client_id is required'],
    ['no redirect', { redirect_uri: '' }, 'redirect_uri is required'],
    ['an invalid client id', { client_id: 'x' }, 'invalid client_id format'],
    ['an unknown client', { client_id: '6a5e3a4e-50ff-4ba1-b1a4-000000000000' }, 'invalid client_id'],
    ['an unregistered redirect', { redirect_uri: `${REDIRECT}/x` }, 'invalid redirect_uri'],
  ])("with %s doesn't redirect", async (_name, change, message) => {
    const app = await newClient()
    const { status, response } = await authorize({ client_id: app.client_id, redirect_uri: REDIRECT, ...change })
    expect(status).toBe(400)
    expect(await response.json()).toMatchObject({ msg: message })
  })

  test.each([
    ['another response type', { response_type: 'token' }, 'only response_type=code is supported'],
    ['an unknown scope', { scope: 'email admin' }, 'unsupported scope: admin'],
    ['no PKCE', { code_challenge: '' }, 'PKCE flow requires both code_challenge and code_challenge_method'],
    ['a short challenge', { code_challenge: 'short' }, 'code_challenge must be between 43 and 128 characters'],
    ['an unknown method', { code_challenge_method: 'none' }, "code_challenge_method must be 'S256' or 'plain'"],
    ['a relative resource', { resource: '/x' }, 'resource must be an absolute URI'],
    ['a resource with a fragment', { resource: 'https://x.test/#a' }, 'resource must not include a fragment component'],
  ])('with %s redirects with an error', async (_name, change, description) => {
    const app = await newClient()
    const { location } = await authorize({
      client_id: app.client_id,
      redirect_uri: REDIRECT,
      code_challenge: challengeOf(newVerifier()),
      code_challenge_method: 'S256',
      state: 'kept',
      ...change,
    })
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error: 'invalid_request',
      error_description: description,
      state: 'kept',
    })
  })

  test("that can't be stored redirects with an error", async () => {
    const app = await newClient()
    const { location } = await authorize({
      client_id: app.client_id,
      redirect_uri: REDIRECT,
      code_challenge: challengeOf(newVerifier()),
      code_challenge_method: 'S256',
      nonce: 'n'.repeat(256),
    })
    expect(location?.searchParams.get('error')).toBe('server_error')
  })
})
