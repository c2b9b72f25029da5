import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestAuth, type TestAuth } from '../testing/auth.ts'
import { startExternalServices } from '../testing/external-services.ts'
import type { AuthAccess, Route } from './http/router.ts'
import { authRoutes } from './routes.ts'

/** Run more with `AUTH_REQUESTS=20000 npx vitest run …`. */
const REQUESTS = Number(process.env.AUTH_REQUESTS ?? 400)

const SETTINGS = `
[auth]
enable_anonymous_sign_ins = true
enable_manual_linking = true
additional_redirect_urls = ["https://app.test/**"]
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
[auth.email]
max_frequency = "1s"
secure_password_change = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
15550001 = "123456"
[auth.sms.vonage]
enabled = true
from = "Test"
api_key = "k"
api_secret = "s"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
[auth.web3.ethereum]
enabled = true
[auth.web3.solana]
enabled = true
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
[auth.external.github]
enabled = true
client_id = "c"
secret = "s"
[auth.external.google]
enabled = true
client_id = "c"
secret = "s"
`

const CREDENTIAL: Record<AuthAccess, number> = { anyone: 0, bearer: 1, user: 1, member: 1, service: 2 }

let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
let credentials: string[]
let ids: string[]
beforeAll(async () => {
  externalServices = await startExternalServices(() => ({ body: { messages: [{ status: '0' }] } }))
  auth = await startTestAuth(SETTINGS, '', { fetch: externalServices.fetch, lookup: async () => [] })
  await renew()
})
afterAll(async () => {
  await auth.close()
  await externalServices.close()
})

async function renew(): Promise<void> {
  const client = auth.client()
  const email = `${crypto.randomUUID()}@example.com`
  const { data } = await client.auth.signUp({ email, password: 'correct horse' })
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' })
  const admin = auth.client({ secret: true })
  const { data: app } = await admin.auth.admin.oauth.createClient({
    client_name: 'a',
    redirect_uris: ['https://app.test/cb'],
  })
  ids = [data.user?.id, factor?.id, app?.client_id].map(String)
  credentials = ['', `Bearer ${data.session?.access_token}`, `Bearer ${auth.identity.keys.secret}`, 'Bearer x.y.z']
}

const FIELDS = [
  ...[
    'email',
    'phone',
    'password',
    'new_email',
    'token',
    'token_hash',
    'type',
    'data',
    'user_metadata',
    'app_metadata',
  ],
  ...['code', 'code_verifier', 'code_challenge', 'code_challenge_method', 'auth_code', 'refresh_token', 'grant_type'],
  ...['provider', 'id_token', 'access_token', 'nonce', 'issuer', 'client_id', 'client_secret', 'chain', 'message'],
  ...['signature', 'factor_type', 'friendly_name', 'challenge_id', 'webauthn', 'credential', 'channel', 'create_user'],
  ...['redirect_uris', 'redirect_uri', 'redirect_to', 'grant_types', 'client_name', 'client_uri', 'logo_uri', 'scope'],
  ...['state', 'resource', 'response_type', 'action', 'identifier', 'name', 'provider_type', 'scopes', 'enabled'],
  ...['attribute_mapping', 'authorization_params', 'custom_claims_allowlist', 'token_url', 'authorization_url'],
  ...['userinfo_url', 'discovery_url', 'ban_duration', 'id', 'aud', 'role', 'password_hash', 'email_confirm'],
  ...['domains', 'domain', 'provider_id', 'metadata_xml', 'metadata_url', 'resource_id', 'disabled', 'name_id_format'],
  ...['SAMLResponse', 'RelayState', 'gotrue_meta_security', 'should_soft_delete', 'page', 'per_page', 'sort', 'filter'],
  ...['query', 'error', 'invite_token', 'skip_http_redirect', 'token_endpoint_auth_method', 'client_type', 'user_id'],
]

const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '%00',
      '\u0000',
      '\ud800',
      "'; drop table auth.users --",
      '../../x',
      '__proto__',
      'constructor',
      '[object Object]',
    ],
    ...[
      'user@example.com',
      'new@example.com',
      '+15550001',
      '15550002',
      '123456',
      'correct horse',
      's256',
      'plain',
      'sms',
    ],
    ...[
      'github',
      'google',
      'custom:x',
      'ethereum',
      'solana',
      'totp',
      'phone',
      'webauthn',
      'saml',
      'oidc',
      'oauth2',
      'approve',
    ],
    ...[
      'signup',
      'recovery',
      'magiclink',
      'email',
      'email_change',
      'invite',
      'sms',
      'phone_change',
      'password',
      'pkce',
      'web3',
    ],
    ...[
      'authorization_code',
      'refresh_token',
      'id_token',
      'openid email',
      'https://app.test/cb',
      'javascript:alert(1)',
      'none',
    ],
    ...[
      'public',
      'client_secret_post',
      '1h',
      '-1',
      '9'.repeat(40),
      'x'.repeat(5000),
      'a\r\nSet-Cookie: b=c',
      '<xml/>',
      '😀',
    ],
    ...[
      'created_at asc',
      'action:login',
      '6a5e3a4e-50ff-4ba1-b1a4-0b1c6a5e3a4e',
      'a'.repeat(43),
      'eyJhbGciOiJub25lIn0.e30.',
    ],
  ),
  fc.string(),
  fc.string({ unit: 'binary' }),
)

const value = fc.oneof(
  { weight: 5, arbitrary: hostile },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.array(hostile, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS, '__proto__', 'keys'), hostile, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
)

function bodyOf({ schema }: Route) {
  const own = schema instanceof z.ZodObject ? Object.keys(schema.shape) : FIELDS
  const named = fc.dictionary(fc.constantFrom(...own), value, { minKeys: Math.min(own.length, 3) })
  const any = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 8 })
  return fc.oneof(
    { weight: 8, arbitrary: named },
    { weight: 2, arbitrary: any },
    { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '7') },
  )
}

const requests = fc.constantFrom(...authRoutes).chain((route) =>
  fc.record({
    route: fc.constant(route),
    segment: fc.oneof(hostile, fc.nat({ max: 2 })),
    query: fc.dictionary(fc.constantFrom(...FIELDS), hostile, { maxKeys: 4 }),
    body: bodyOf(route),
    form: fc.boolean(),
    credential: fc.oneof(fc.nat({ max: 3 }), fc.constant(CREDENTIAL[route.access])),
    origin: fc.option(hostile),
  }),
)

type GeneratedRequest = typeof requests extends fc.Arbitrary<infer R> ? R : never

function requestOf({ route, segment, query, body, form, credential, origin }: GeneratedRequest): Request | null {
  const part = typeof segment === 'number' ? (ids[segment] ?? '') : segment.toWellFormed()
  const path = route.path
    .split('/')
    .map((one) => (one.startsWith('{') ? encodeURIComponent(part) || '_' : one))
    .join('/')
  const params = new URLSearchParams(Object.entries(query).map(([name, text]) => [name, text.toWellFormed()]))
  const headers = new Headers({ 'user-agent': 'fuzz' })
  const authorization = credentials[credential] ?? ''
  if (authorization) headers.set('authorization', authorization)
  try {
    if (origin !== null) headers.set('origin', origin)
  } catch {
    return null
  }
  const isForm = form && typeof body === 'object'
  if (isForm) headers.set('content-type', 'application/x-www-form-urlencoded')
  const content = isForm
    ? new URLSearchParams(
        Object.entries(body).map(([name, one]) => [
          name,
          (typeof one === 'string' ? one : JSON.stringify(one)).toWellFormed(),
        ]),
      ).toString()
    : typeof body === 'string'
      ? body
      : JSON.stringify(body)
  return new Request(`${auth.url}/auth/v1${path}?${params}`, {
    method: route.method,
    headers,
    ...(route.method === 'GET' ? {} : { body: content }),
  })
}

test(
  'no request to any route causes an internal error',
  async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        made += 1
        if (made % 25 === 0) await renew()
        const request = requestOf(asked)
        if (!request) return
        const response = await auth.handle(request, { requestId: 'fuzz', address: '203.0.113.7' })
        const text = await response.text()
        expect(response.status, `${asked.route.method} ${request.url} → ${text} ${auth.logged.at(-1)}`).toBeLessThan(
          500,
        )
        for (const [name, told] of response.headers) expect(`${name}: ${told}`).not.toMatch(/[\r\n]/)
        expect(text).not.toMatch(/syntax error at|violates|relation "/)
        auth.clock.advance(6)
      }),
      { numRuns: REQUESTS, endOnFailure: true },
    )
  },
  REQUESTS * 200,
)
