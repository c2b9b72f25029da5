import type { SupabaseClient } from '@supabase/supabase-js'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../testing/auth.ts'
import { startExternalServices } from '../../../testing/external-services.ts'
import { blockedAs } from './safe-url.ts'

const ISSUER = 'https://idp.test'

let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
let admin: SupabaseClient['auth']['admin']['customProviders']
let sign: (claims: Record<string, unknown>) => Promise<string>
let claims: Record<string, unknown>
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }]
  sign = (given) =>
    new SignJWT({ iss: ISSUER, aud: 'client', exp: Math.floor(auth.clock.now().getTime() / 1000) + 60, ...given })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey)
  let idToken = ''
  externalServices = await startExternalServices(({ url }) => {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return {
          body: {
            issuer: ISSUER,
            authorization_endpoint: `${ISSUER}/auth`,
            token_endpoint: `${ISSUER}/token`,
            jwks_uri: `${ISSUER}/keys`,
          },
        }
      case '/wrong/.well-known/openid-configuration':
        return { body: { issuer: 'https://other.test' } }
      case '/bare/.well-known/openid-configuration':
        return { body: { issuer: `${ISSUER}/bare`, token_endpoint: `${ISSUER}/token` } }
      case '/keys':
        return { body: { keys } }
      case '/token':
        return { body: { access_token: 'at', token_type: 'bearer', id_token: idToken } }
      case '/oauth2/token':
        return { body: { access_token: 'at', token_type: 'bearer' } }
      case '/oauth2/me':
        return { body: claims }
      default:
        return { status: 404, body: {} }
    }
  })
  auth = await startTestAuth('', '', {
    async fetch(input, init) {
      if (new URL(String(input)).pathname === '/token') idToken = await sign(claims)
      return externalServices.fetch(input, init)
    },
    async lookup(host) {
      if (host === 'nowhere.test') throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
      if (host === 'offline.test') throw Object.assign(new Error('try again'), { code: 'EAI_AGAIN' })
      return [host === 'inside.test' ? '10.0.0.1' : '203.0.113.7']
    },
  })
  admin = auth.client({ secret: true }).auth.admin.customProviders
})
afterAll(async () => {
  await auth.close()
  await externalServices.close()
})

type Create = Parameters<typeof admin.createProvider>[0]

const OIDC: Create = {
  provider_type: 'oidc',
  identifier: 'custom:idp',
  name: 'IdP',
  client_id: 'client',
  client_secret: 'secret',
  issuer: ISSUER,
  scopes: ['email'],
  custom_claims_allowlist: ['groups'],
  authorization_params: { prompt: 'login' },
} as Create

const OAUTH2: Create = {
  provider_type: 'oauth2',
  identifier: 'custom:plain',
  name: 'Plain',
  client_id: 'client',
  client_secret: 'secret',
  authorization_url: `${ISSUER}/oauth2/auth`,
  token_url: `${ISSUER}/oauth2/token`,
  userinfo_url: `${ISSUER}/oauth2/me`,
  scopes: ['read'],
  pkce_enabled: false,
  attribute_mapping: { name: 'nickname' },
} as Create

test('creates, lists, reads, changes and deletes a provider, and never returns its secret', async () => {
  const made = await admin.createProvider({ ...OIDC, identifier: 'custom:crud' })
  expect(made.data).toEqual({
    id: expect.any(String),
    provider_type: 'oidc',
    identifier: 'custom:crud',
    name: 'IdP',
    client_id: 'client',
    acceptable_client_ids: [],
    scopes: ['openid', 'email'],
    pkce_enabled: true,
    attribute_mapping: {},
    custom_claims_allowlist: ['groups'],
    authorization_params: { prompt: 'login' },
    enabled: true,
    email_optional: false,
    issuer: ISSUER,
    skip_nonce_check: false,
    discovery_document: expect.objectContaining({ issuer: ISSUER, token_endpoint: `${ISSUER}/token` }),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  await admin.createProvider({ ...OAUTH2, identifier: 'custom:crud2' })
  const listed = await admin.listProviders({ type: 'oauth2' })
  expect(listed.data?.providers.map(({ identifier }) => identifier)).toContain('custom:crud2')
  expect(listed.data?.providers.map(({ identifier }) => identifier)).not.toContain('custom:crud')
  expect((await admin.getProvider('custom:crud')).data).toEqual(made.data)
  const changed = await admin.updateProvider('custom:crud', { name: 'Other', enabled: false, scopes: ['profile'] })
  expect(changed.data).toMatchObject({ name: 'Other', enabled: false, scopes: ['openid', 'profile'], issuer: ISSUER })
  expect((await admin.createProvider({ ...OIDC, identifier: 'custom:crud' })).error).toMatchObject({
    status: 400,
    code: 'conflict',
  })
  expect((await admin.deleteProvider('custom:crud')).error).toBeNull()
  expect((await admin.getProvider('custom:crud')).error).toMatchObject({
    status: 404,
    code: 'custom_provider_not_found',
  })
})

test.each([
  [{ ...OIDC, provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
  [{ ...OIDC, identifier: '' }, 'identifier is required'],
  [{ ...OIDC, identifier: 'idp' }, "identifier must start with 'custom:' prefix, e.g. 'custom:idp'"],
  [{ ...OIDC, identifier: 'custom:UPPER' }, 'identifier may hold'],
  [{ ...OIDC, name: '' }, 'name is required'],
  [{ ...OIDC, client_id: '' }, 'client_id is required'],
  [{ ...OIDC, client_secret: '' }, 'client_secret is required'],
  [{ ...OIDC, issuer: '' }, 'issuer is required for OIDC providers'],
  [{ ...OAUTH2, token_url: '' }, 'token_url is required for OAuth2 providers'],
  [
    { ...OIDC, authorization_params: { redirect_uri: 'https://evil.example' } },
    'Cannot override reserved OAuth parameter: redirect_uri',
  ],
  [{ ...OIDC, authorization_params: { max_age: 1 } }, 'Authorization parameter "max_age" must be a string'],
  [{ ...OIDC, attribute_mapping: { role: 'groups' } }, 'Cannot map to protected system field: role'],
  [{ ...OIDC, custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
  [{ ...OIDC, issuer: 'http://idp.test' }, 'URL must use HTTPS'],
  [{ ...OIDC, issuer: 'https://localhost' }, 'URL cannot point to localhost or loopback addresses'],
  [{ ...OIDC, issuer: 'https://a.localhost' }, 'URL cannot point to localhost or loopback addresses'],
  [{ ...OIDC, issuer: 'https://inside.test' }, 'URL cannot resolve to private network addresses'],
  [{ ...OIDC, issuer: 'https://169.254.169.254' }, 'URL cannot resolve to link-local addresses'],
  [{ ...OIDC, issuer: 'https://nowhere.test' }, 'Unable to resolve hostname'],
  [{ ...OIDC, discovery_url: 'https://inside.test/x' }, 'URL cannot resolve to private network addresses'],
  [{ ...OIDC, issuer: `${ISSUER}/wrong` }, 'issuer mismatch'],
  [{ ...OIDC, issuer: `${ISSUER}/bare` }, 'missing required fields: authorization_endpoint, jwks_uri'],
  [{ ...OIDC, issuer: `${ISSUER}/none` }, 'OIDC discovery from'],
])('%# rejects: %j', async (params, message) => {
  const { error } = await admin.createProvider(params as Create)
  expect(error).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining(message) })
})

test('configures a custom provider without a network', async () => {
  const made = await admin.createProvider({
    ...OAUTH2,
    identifier: 'custom:offline',
    token_url: 'https://offline.test/token',
  } as Create)
  expect(made.error).toBeNull()
})

test.each([
  ['127.8.8.8', 'loopback addresses'],
  ['::1', 'loopback addresses'],
  ['172.31.0.1', 'private network addresses'],
  ['fd00::1', 'private network addresses'],
  ['fe80::1', 'link-local addresses'],
  ['239.0.0.1', 'multicast addresses'],
  ['0.0.0.0', 'unspecified addresses'],
  ['8.8.8.8', null],
  ['2606:4700::1', null],
])('%s is %s', (address, reason) => {
  expect(blockedAs(address)).toBe(reason)
})

async function signIn(provider: string, more = '') {
  const start = await fetch(`${auth.url}/auth/v1/authorize?provider=${provider}${more}`, { redirect: 'manual' })
  const there = new URL(start.headers.get('location') ?? '')
  const state = there.searchParams.get('state') ?? ''
  const end = await fetch(`${auth.url}/auth/v1/callback?code=c&state=${state}`, { redirect: 'manual' })
  const fragment = new URLSearchParams(new URL(end.headers.get('location') ?? '').hash.slice(1))
  const token = fragment.get('access_token')
  const user = token ? (await auth.client().auth.getUser(token)).data.user : null
  return { there, fragment, user }
}

describe('a custom provider', () => {
  test('signs in with OpenID Connect: claims come from the ID token, and listed claims are copied', async () => {
    await admin.createProvider(OIDC)
    claims = { sub: '1', email: 'ada@idp.test', email_verified: true, name: 'Ada', groups: ['a'], secret: 'x' }
    const { there, user } = await signIn('custom:idp')
    expect(there.origin + there.pathname).toBe(`${ISSUER}/auth`)
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      scope: 'openid email',
      prompt: 'login',
      code_challenge_method: 'S256',
    })
    expect(user).toMatchObject({
      email: 'ada@idp.test',
      app_metadata: { provider: 'custom:idp', providers: ['custom:idp'] },
      user_metadata: { sub: '1', iss: ISSUER, name: 'Ada', custom_claims: { groups: ['a'] } },
    })
    expect(user?.user_metadata).not.toHaveProperty('secret')
  })

  test("doesn't sign in with a token for another client", async () => {
    claims = { sub: '2', aud: 'other', email: 'eve@idp.test', email_verified: true }
    const { fragment } = await signIn('custom:idp')
    expect(fragment.get('error_description')).toBe('Error getting user profile from external provider')
  })

  test('signs in with OAuth 2: maps claims, and requested scopes replace the configured ones', async () => {
    await admin.createProvider(OAUTH2)
    claims = { sub: '3', email: 'bob@idp.test', email_verified: true, nickname: 'bobby' }
    const { there, user } = await signIn('custom:plain', '&scopes=read%20write')
    expect(there.searchParams.get('scope')).toBe('read write')
    expect(there.searchParams.has('code_challenge')).toBe(false)
    expect(user?.user_metadata).toMatchObject({ name: 'bobby', nickname: 'bobby' })
  })

  test('signs in with only an ID token', async () => {
    const token = await sign({ sub: '1', email: 'ada@idp.test', email_verified: true })
    const { data, error } = await auth.client().auth.signInWithIdToken({ provider: 'custom:idp', token })
    expect(error).toBeNull()
    expect(data.user?.email).toBe('ada@idp.test')
    const none = await auth.client().auth.signInWithIdToken({ provider: 'custom:none', token })
    expect(none.error?.message).toBe('Custom provider "custom:none" not found')
    const plain = await auth.client().auth.signInWithIdToken({ provider: 'custom:plain', token })
    expect(plain.error?.message).toBe('Provider "custom:plain" is not an OIDC provider')
  })

  test("doesn't sign in if disabled or unknown", async () => {
    await admin.updateProvider('custom:plain', { enabled: false })
    for (const [name, why] of [
      ['custom:plain', 'custom provider custom:plain is disabled'],
      ['custom:none', 'custom provider custom:none not found'],
    ]) {
      const response = await fetch(`${auth.url}/auth/v1/authorize?provider=${name}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ msg: `Unsupported provider: ${why}` })
    }
  })
})
