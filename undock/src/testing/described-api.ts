import { createHash } from 'node:crypto'
import { generateSync } from 'otplib'
import { linkIn, type TestAuth } from './auth.ts'

/** An id that doesn't exist. */
export const NOBODY = '6a5e3a4e-50ff-4ba1-b1a4-0b1c6a5e3a4e'
const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export type Ask = {
  readonly as?: 'user' | 'admin'
  /** Values of the path's parameters. */
  readonly of?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** Values of the response that later requests use. */
  readonly keep?: (body: Record<string, unknown>, location: URL | null) => Record<string, unknown>
}

/** Values of earlier responses, by the names that paths and bodies use. */
export type Known = Record<string, string>

/** A request and the status that it is answered with. */
type Case = readonly [status: number, ask: () => Ask]

const admins = (ask: () => Ask = () => ({})): Case[] => [
  [401, ask],
  [403, () => ({ ...ask(), as: 'user' })],
]

const confirmed = (auth: TestAuth) => {
  const url = new URL(linkIn(auth.mailTo('new@example.com')))
  return { token: url.searchParams.get('token') ?? '', type: 'signup' }
}

const app = { client_name: 'App', redirect_uris: ['https://app.test/cb'] }
const authorization = (known: Known) => ({
  response_type: 'code',
  client_id: known.client ?? '',
  redirect_uri: 'https://app.test/cb',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
})
const custom = {
  provider_type: 'oauth2',
  identifier: 'custom:mine',
  name: 'Mine',
  client_id: 'c',
  client_secret: 's',
  authorization_url: 'https://idp.test/authorize',
  token_url: 'https://idp.test/token',
  userinfo_url: 'https://idp.test/me',
}

type Described = readonly [method: string, path: string, documented: readonly number[], cases: readonly Case[]]

/** Every path and method of upstream's openapi.yaml with the statuses it documents, and requests that are answered with
 *  them. They run from top to bottom and build on each other.
 *  @see supabase/auth openapi.yaml */
// biome-ignore format: a table
export const describedApi = (auth: TestAuth, known: Known, metadata: string): readonly Described[] => [
  ['GET', '/health', [200, 500, 502, 503, 504], [[200, () => ({})]]],
  ['GET', '/settings', [200], [[200, () => ({})]]],
  ['POST', '/signup', [200, 400, 429], [
    [200, () => ({ body: { email: 'new@example.com', password: 'correct horse', data: { a: 1 } } })],
    [400, () => ({ body: { email: 'no address', password: 'correct horse' } })],
  ]],
  ['GET', '/verify', [302], [[302, () => ({ query: confirmed(auth) })], [302, () => ({ query: { type: 'signup', token: 'none' } })]]],
  ['POST', '/otp', [200, 400, 422, 429], [
    [200, () => ({ body: { email: 'otp@example.com' } })],
    [400, () => ({ body: {} })],
    [422, () => ({ body: { email: 'stranger@example.com', create_user: false } })],
  ]],
  ['POST', '/verify', [200, 429], [[200, () => {
    const token_hash = new URL(linkIn(auth.mailTo('otp@example.com'))).searchParams.get('token')
    return { body: { type: 'email', token_hash } }
  }]]],
  ['POST', '/magiclink', [200, 400, 422, 429], [[200, () => ({ body: { email: 'magic@example.com' } })], [422, () => ({ body: {} })]]],
  ['POST', '/recover', [200, 400, 422, 429], [[200, () => ({ body: { email: 'ada@example.com' } })], [400, () => ({ body: {} })]]],
  ['POST', '/resend', [200, 400, 422, 429], [
    [200, () => ({ body: { type: 'signup', email: 'magic@example.org' } })],
    [400, () => ({ body: { type: 'none', email: 'magic@example.org' } })],
  ]],
  ['POST', '/token', [200, 400, 401, 403, 500, 429], [
    [200, () => ({ query: { grant_type: 'password' }, body: { email: 'ada@example.com', password: 'correct horse' } })],
    [200, () => ({ query: { grant_type: 'refresh_token' }, body: { refresh_token: known.refresh } })],
    [400, () => ({ query: { grant_type: 'password' }, body: { email: 'ada@example.com', password: 'wrong' } })],
    [400, () => ({ query: { grant_type: 'none' }, body: {} })],
  ]],
  ['GET', '/authorize', [302], [[302, () => ({ query: { provider: 'github' } })]]],
  ['GET', '/callback', [302], [[302, () => ({ query: { error: 'access_denied' } })]]],
  ['POST', '/callback', [302], [[302, () => ({ form: { error: 'access_denied' } })]]],
  ['GET', '/user', [200], [[200, () => ({ as: 'user' })]]],
  ['PUT', '/user', [200, 400, 429], [[200, () => ({ as: 'user', body: { data: { b: 2 } } })], [400, () => ({ as: 'user', body: { email: 'x' } })]]],
  ['GET', '/user/identities/authorize', [302], [[302, () => ({ as: 'user', query: { provider: 'github' } })]]],
  ['DELETE', '/user/identities/{identityId}', [200, 401, 403, 404, 422], [
    [401, () => ({})],
    [403, () => ({ as: 'admin' })],
    [404, () => ({ as: 'user', of: { identityId: 'none' } })],
    [422, () => ({ as: 'user' })],
  ]],
  ['POST', '/reauthenticate', [200, 400, 429], [[200, () => ({ as: 'user' })], [429, () => ({ as: 'user' })]]],
  ['POST', '/factors', [200, 400], [
    [200, () => ({ as: 'user', body: { factor_type: 'totp', friendly_name: 'app' }, keep: (body) => ({ factor: body.id, secret: (body.totp as Record<string, unknown>).secret }) })],
    [400, () => ({ as: 'user', body: { factor_type: 'smoke' } })],
  ]],
  ['POST', '/factors/{factorId}/challenge', [200, 400, 429], [
    [200, () => ({ as: 'user', of: { factorId: known.factor ?? '' }, body: {}, keep: ({ id }) => ({ challenge: id }) })],
  ]],
  ['GET', '/admin/users/{userId}/factors', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { userId: known.user ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['PUT', '/admin/users/{userId}/factors/{factorId}', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { userId: known.user ?? '', factorId: known.factor ?? '' }, body: { friendly_name: 'other' } })],
    ...admins(() => ({ body: {} })),
    [404, () => ({ as: 'admin', of: { userId: known.user ?? '' }, body: {} })],
  ]],
  ['POST', '/factors/{factorId}/verify', [200, 400, 429], [
    [200, () => ({ as: 'user', of: { factorId: known.factor ?? '' }, body: {
      challenge_id: known.challenge,
      code: generateSync({ secret: known.secret ?? '', epoch: Math.floor(auth.clock.now().getTime() / 1000) }),
    }, keep: ({ access_token }) => ({ token: access_token }) })],
    [400, () => ({ as: 'user', of: { factorId: known.factor ?? '' }, body: { challenge_id: NOBODY, code: '' } })],
  ]],
  ['DELETE', '/factors/{factorId}', [200, 400], [[200, () => ({ as: 'user', of: { factorId: known.factor ?? '' } })]]],
  ['DELETE', '/admin/users/{userId}/factors/{factorId}', [200, 401, 403, 404], [
    ...admins(), [404, () => ({ as: 'admin', of: { userId: known.user ?? '' } })],
  ]],
  ['GET', '/saml/metadata', [200], [[200, () => ({})]]],
  ['GET', '/admin/sso/providers', [200], [[200, () => ({ as: 'admin' })]]],
  ['POST', '/admin/sso/providers', [200, 400, 401, 403], [
    [200, () => ({ as: 'admin', body: { type: 'saml', metadata_xml: metadata, domains: ['company.test'] }, keep: ({ id }) => ({ sso: id }) })],
    [400, () => ({ as: 'admin', body: { type: 'saml' } })], ...admins(() => ({ body: {} })),
  ]],
  ['GET', '/admin/sso/providers/{ssoProviderId}', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { ssoProviderId: known.sso ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['PUT', '/admin/sso/providers/{ssoProviderId}', [200, 400, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { ssoProviderId: known.sso ?? '' }, body: { domains: ['company.test', 'other.test'] } })],
    [400, () => ({ as: 'admin', of: { ssoProviderId: known.sso ?? '' }, body: { metadata_xml: '<xml/>' } })],
    ...admins(() => ({ body: {} })), [404, () => ({ as: 'admin', body: {} })],
  ]],
  ['POST', '/sso', [200, 303, 400, 404], [
    [200, () => ({ body: { domain: 'company.test', skip_http_redirect: true } })],
    [303, () => ({ body: { domain: 'company.test' } })],
    [400, () => ({ body: {} })],
    [404, () => ({ body: { domain: 'nowhere.test' } })],
  ]],
  ['POST', '/saml/acs', [302, 400, 429], [[302, () => ({ form: { SAMLResponse: 'x', RelayState: NOBODY } })]]],
  ['DELETE', '/admin/sso/providers/{ssoProviderId}', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { ssoProviderId: known.sso ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['POST', '/invite', [200, 400, 422], [
    [200, () => ({ as: 'admin', body: { email: 'invited@example.com' } })],
    [400, () => ({ as: 'admin', body: { email: 'x' } })],
    [422, () => ({ as: 'admin', body: { email: 'ada@example.com' } })],
  ]],
  ['POST', '/admin/generate_link', [200, 400, 401, 403, 404, 422], [
    [200, () => ({ as: 'admin', body: { type: 'magiclink', email: 'ada@example.com' } })],
    [400, () => ({ as: 'admin', body: { type: 'none', email: 'ada@example.com' } })],
    ...admins(() => ({ body: {} })),
    [404, () => ({ as: 'admin', body: { type: 'recovery', email: 'stranger@example.com' } })],
    [422, () => ({ as: 'admin', body: { type: 'invite', email: 'ada@example.com' } })],
  ]],
  ['GET', '/admin/audit', [200, 401, 403], [[200, () => ({ as: 'admin', query: { page: '1', per_page: '2' } })], ...admins()]],
  ['GET', '/admin/users', [200, 401, 403], [[200, () => ({ as: 'admin', query: { page: '1', per_page: '2' } })], ...admins()]],
  ['GET', '/admin/users/{userId}', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { userId: known.user ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['PUT', '/admin/users/{userId}', [200, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { userId: known.user ?? '' }, body: { app_metadata: { plan: 'pro' } } })],
    ...admins(() => ({ body: {} })), [404, () => ({ as: 'admin', body: {} })],
  ]],
  ['GET', '/admin/oauth/clients', [200, 401, 403], [[200, () => ({ as: 'admin' })], ...admins()]],
  ['POST', '/admin/oauth/clients', [201, 400, 401, 403], [
    [201, () => ({ as: 'admin', body: { ...app, token_endpoint_auth_method: 'none' }, keep: ({ client_id }) => ({ client: client_id }) })],
    [201, () => ({ as: 'admin', body: app, keep: ({ client_id }) => ({ confidential: client_id }) })],
    [400, () => ({ as: 'admin', body: {} })], ...admins(() => ({ body: {} })),
  ]],
  ['GET', '/admin/oauth/clients/{client_id}', [200, 404, 401, 403], [
    [200, () => ({ as: 'admin', of: { client_id: known.client ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['PUT', '/admin/oauth/clients/{client_id}', [200, 400, 404, 401, 403], [
    [200, () => ({ as: 'admin', of: { client_id: known.client ?? '' }, body: { client_name: 'Renamed' } })],
    [400, () => ({ as: 'admin', of: { client_id: known.client ?? '' }, body: { redirect_uris: ['x'] } })],
    ...admins(() => ({ body: {} })), [404, () => ({ as: 'admin', body: { client_name: 'x' } })],
  ]],
  ['POST', '/admin/oauth/clients/{client_id}/regenerate_secret', [200, 400, 404, 401, 403], [
    [200, () => ({ as: 'admin', of: { client_id: known.confidential ?? '' } })],
    [400, () => ({ as: 'admin', of: { client_id: known.client ?? '' } })],
    ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['POST', '/oauth/clients/register', [201, 400, 429], [[201, () => ({ body: app })], [400, () => ({ body: {} })]]],
  ['GET', '/oauth/authorize', [302, 400], [
    [302, () => ({ query: authorization(known), keep: (_body, location) => ({ authorization: location?.searchParams.get('authorization_id') }) })],
    [400, () => ({ query: { ...authorization(known), redirect_uri: 'https://evil.test' } })],
  ]],
  ['GET', '/oauth/authorizations/{authorization_id}', [200, 404, 401], [
    [200, () => ({ as: 'user', of: { authorization_id: known.authorization ?? '' } })], [404, () => ({ as: 'user' })], [401, () => ({})],
  ]],
  ['POST', '/oauth/authorizations/{authorization_id}/consent', [200, 400, 401], [
    [400, () => ({ as: 'user', of: { authorization_id: known.authorization ?? '' }, body: { action: 'perhaps' } })],
    [200, () => ({ as: 'user', of: { authorization_id: known.authorization ?? '' }, body: { action: 'approve' },
      keep: ({ redirect_url: url }) => ({ code: new URL(String(url)).searchParams.get('code') }) })],
    [401, () => ({ body: { action: 'approve' } })],
  ]],
  ['POST', '/oauth/token', [200, 400, 401], [
    [200, () => ({ form: { grant_type: 'authorization_code', code: known.code ?? '', client_id: known.client ?? '', redirect_uri: 'https://app.test/cb', code_verifier: VERIFIER } })],
    [400, () => ({ form: { grant_type: 'authorization_code', code: 'none', client_id: known.client ?? '', redirect_uri: 'https://app.test/cb', code_verifier: VERIFIER } })],
  ]],
  ['GET', '/user/oauth/grants', [200, 401, 403], [[200, () => ({ as: 'user' })], [401, () => ({})], [403, () => ({ as: 'admin' })]]],
  ['DELETE', '/user/oauth/grants', [204, 400, 401, 403, 404], [
    [204, () => ({ as: 'user', query: { client_id: known.client ?? '' } })],
    [400, () => ({ as: 'user' })], [401, () => ({})], [403, () => ({ as: 'admin' })], [404, () => ({ as: 'user', query: { client_id: NOBODY } })],
  ]],
  ['DELETE', '/admin/oauth/clients/{client_id}', [204, 404, 401, 403], [
    [204, () => ({ as: 'admin', of: { client_id: known.client ?? '' } })], ...admins(), [404, () => ({ as: 'admin' })],
  ]],
  ['POST', '/admin/custom-providers', [201, 400, 401, 403], [
    [201, () => ({ as: 'admin', body: custom })], [400, () => ({ as: 'admin', body: {} })], ...admins(() => ({ body: {} })),
  ]],
  ['GET', '/admin/custom-providers', [200, 400, 401, 403], [
    [200, () => ({ as: 'admin' })], [400, () => ({ as: 'admin', query: { type: 'saml' } })], ...admins(),
  ]],
  ['GET', '/admin/custom-providers/{identifier}', [200, 400, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { identifier: 'custom:mine' } })],
    [400, () => ({ as: 'admin', of: { identifier: 'mine' } })], ...admins(),
    [404, () => ({ as: 'admin', of: { identifier: 'custom:other' } })],
  ]],
  ['PUT', '/admin/custom-providers/{identifier}', [200, 400, 401, 403, 404], [
    [200, () => ({ as: 'admin', of: { identifier: 'custom:mine' }, body: { name: 'Yours' } })],
    [400, () => ({ as: 'admin', of: { identifier: 'mine' }, body: {} })], ...admins(() => ({ body: {} })),
    [404, () => ({ as: 'admin', of: { identifier: 'custom:other' }, body: {} })],
  ]],
  ['DELETE', '/admin/custom-providers/{identifier}', [204, 400, 401, 403, 404], [
    [204, () => ({ as: 'admin', of: { identifier: 'custom:mine' } })],
    [400, () => ({ as: 'admin', of: { identifier: 'mine' } })], ...admins(),
    [404, () => ({ as: 'admin', of: { identifier: 'custom:mine' } })],
  ]],
  ['POST', '/logout', [204, 401], [[204, () => ({ as: 'user', query: { scope: 'local' } })], [401, () => ({})]]],
  ['DELETE', '/admin/users/{userId}', [200, 401, 403, 404], [
    ...admins(), [200, () => ({ as: 'admin', of: { userId: known.user ?? '' } })], [404, () => ({ as: 'admin', of: { userId: known.user ?? '' } })],
  ]],
]
