// Forged tokens, and keys used in the wrong place.
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto'
import { CompactEncrypt, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authRoutes } from '../../src/auth/routes.ts'
import { startTestAuth, type TestAuth } from '../../src/testing/auth.ts'

let auth: TestAuth
let token: string
let claims: Record<string, unknown>
let jwk: JsonWebKey & { kid?: string }
beforeAll(async () => {
  auth = await startTestAuth('[auth.oauth_server]\nenabled = true\n')
  const { data } = await auth.client().auth.signUp({ email: 'a@example.com', password: 'correct horse' })
  token = data.session?.access_token ?? ''
  claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  jwk = auth.identity.jwks().keys[0] as JsonWebKey & { kid?: string }
})
afterAll(() => auth.close())

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const unsigned = (header: unknown, body: unknown = { ...claims, role: 'service_role' }, signature = '') =>
  `${part(header)}.${part(body)}.${signature}`

const byHmac = (key: string | Buffer, header: object = {}, algorithm = 'sha256') => {
  const signed = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part({ ...claims, role: 'service_role' })}`
  return `${signed}.${createHmac(algorithm, key).update(signed).digest('base64url')}`
}

const pem = () => createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
const der = () => createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })

async function statusOf(path: string, bearer: string): Promise<number> {
  const request = new Request(`${auth.url}/auth/v1${path}`, { headers: { authorization: `Bearer ${bearer}` } })
  return (await auth.handle(request, { requestId: 'test', address: '127.0.0.1' })).status
}

const FORGED: [string, () => string | Promise<string>][] = [
  ...['none', 'None', 'NONE', 'nOnE', '', ' none', 'null'].map((alg): [string, () => string] => [
    `signed by ${JSON.stringify(alg)}`,
    () => unsigned({ alg, typ: 'JWT' }),
  ]),
  ["with alg none and another token's signature", () => unsigned({ alg: 'none' }, undefined, token.split('.')[2])],
  ['without an algorithm', () => unsigned({ typ: 'JWT' })],
  ['with several algorithms', () => unsigned({ alg: ['none', 'ES256'] })],
  ['with a duplicate alg', () => unsigned('{"alg":"ES256","alg":"none"}')],
  ['with a null header', () => unsigned(null)],
  ['with a list as header', () => unsigned([])],
  ['with a __proto__ header', () => unsigned('{"__proto__":{"alg":"none"}}')],
  ['signed with the public key as PEM', () => byHmac(pem())],
  ['signed with the public key as trimmed PEM', () => byHmac(pem().trim())],
  ['signed with the public key as DER', () => byHmac(der())],
  ['signed with the public key as JWK', () => byHmac(JSON.stringify(jwk))],
  ["signed with the public key's x", () => byHmac(Buffer.from(jwk.x ?? '', 'base64url'))],
  ['signed with the public key and its kid', () => byHmac(pem(), { kid: jwk.kid })],
  ['signed with an empty key', () => byHmac('')],
  ['signed with HS512 and our secret', () => byHmac(auth.identity.jwtSecret, { alg: 'HS512' }, 'sha512')],
  ['with a path as kid', () => byHmac('', { kid: '../../../../../../dev/null' })],
  ['with SQL as kid', () => byHmac('x', { kid: "x' union select 'x" })],
  ['with a file as kid', () => byHmac('', { kid: 'file:///dev/null' })],
  ['with an object as kid', () => unsigned({ alg: 'ES256', kid: {} }, undefined, token.split('.')[2])],
  [
    'that contains its key',
    async () => {
      const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
        'sign',
        'verify',
      ])
      const own = await crypto.subtle.exportKey('jwk', publicKey)
      const header = {
        alg: 'ES256',
        kid: jwk.kid ?? '',
        jwk: own as never,
        jku: 'https://evil.test/jwks',
        x5u: 'https://evil.test',
      }
      return new SignJWT({ ...claims, role: 'service_role' }).setProtectedHeader(header).sign(privateKey)
    },
  ],
  [
    'with other claims below its signature',
    () => `${token.split('.')[0]}.${part({ ...claims, role: 'service_role' })}.${token.split('.')[2]}`,
  ],
  ['with an empty signature', () => `${token.split('.').slice(0, 2).join('.')}.`],
  ['with a signature of zeros', () => `${token.split('.').slice(0, 2).join('.')}.${part('\0'.repeat(64))}`],
  ['with a signature in DER', () => `${token.split('.').slice(0, 2).join('.')}.${part('0\x06\x02\x01\0\x02\x01\0')}`],
  ['with a part more', () => `${token}.x`],
  ['with a part less', () => token.split('.').slice(0, 2).join('.')],
  ['of a mebibyte', () => unsigned({ alg: 'ES256', x: 'x'.repeat(1 << 20) }, undefined, token.split('.')[2])],
  ['with nested lists', () => unsigned(`${'['.repeat(100_000)}`, undefined, 'x')],
  [
    'with a critical header',
    async () =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', crit: ['exp'], exp: 1 })
        .sign(new TextEncoder().encode(auth.identity.jwtSecret), { crit: { exp: true } }),
  ],
  [
    'that is encrypted',
    async () =>
      new CompactEncrypt(new TextEncoder().encode(token))
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' })
        .encrypt(
          await importJWK({ kty: jwk.kty ?? '', crv: jwk.crv ?? '', x: jwk.x ?? '', y: jwk.y ?? '' }, 'ECDH-ES'),
        ),
  ],
  [
    'that is encrypted with our secret',
    async () =>
      new CompactEncrypt(new TextEncoder().encode(token))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT' })
        .encrypt(new TextEncoder().encode(auth.identity.jwtSecret.slice(0, 32))),
  ],
  ['nested in a token', () => `${part({ alg: 'ES256', cty: 'JWT' })}.${part(token)}.${token.split('.')[2]}`],
]

describe('rejects a token', () => {
  test.each(FORGED)('%s', async (_name, make) => {
    const forged = await make()
    for (const path of ['/user', '/admin/users', '/factors/recovery-codes', '/oauth/userinfo'])
      expect([path, await statusOf(path, forged)]).toEqual([path, 403])
    await expect(auth.identity.verify(forged)).rejects.toMatchObject({ name: 'TokenError' })
  })

  test.each<[string, object, number]>([
    ['without sub', { sub: undefined }, 403],
    ['with an invalid sub', { sub: "' or 1=1" }, 400],
    ['with a list as sub', { sub: ['x'] }, 403],
    ['with an unknown sub', { sub: crypto.randomUUID() }, 403],
    ['with an invalid session id', { session_id: '../x' }, 403],
    ['with an unknown session id', { session_id: crypto.randomUUID() }, 403],
    ['with a string as exp', { exp: '9999999999' }, 403],
    ['that is expired', { exp: 1 }, 403],
    ['with a negative exp', { exp: -1e300 }, 403],
    ['with an nbf in the future', { nbf: 9_999_999_999 }, 403],
  ])('that is validly signed, %s', async (_name, change, status) => {
    expect(await statusOf('/user', await auth.identity.sign({ ...claims, ...change }))).toBe(status)
  })

  test('whose user or session was deleted', async () => {
    const client = auth.client()
    const { data } = await client.auth.signUp({ email: 'gone@example.com', password: 'correct horse' })
    const bearer = data.session?.access_token ?? ''
    expect(await statusOf('/user', bearer)).toBe(200)
    await client.auth.signOut()
    expect(await statusOf('/user', bearer)).toBe(403)
    await auth.client({ secret: true }).auth.admin.deleteUser(data.user?.id ?? '')
    expect(await statusOf('/user', bearer)).toBe(403)
  })
})

test('admin routes require the secret key or the service role', async () => {
  const { keys } = auth.identity
  const withHeaders = async (method: string, path: string, headers: Record<string, string>) => {
    const init = { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) }
    const request = new Request(`${auth.url}/auth/v1${path}`, init)
    return (await auth.handle(request, { requestId: 'test', address: '127.0.0.1' })).status
  }
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const strangers: Record<string, string>[] = [
    {},
    { apikey: keys.publishable },
    { apikey: keys.anon },
    { apikey: keys.serviceRole },
    bearer(keys.anon),
    bearer(keys.publishable),
    bearer(token),
    // The token decides, not the API key.
    { apikey: keys.secret, ...bearer(token) },
    { apikey: keys.secret, ...bearer(keys.anon) },
    { apikey: keys.secret, authorization: 'Basic eDp5' },
    { apikey: `${keys.secret}x` },
    { apikey: keys.secret.toUpperCase() },
    { apikey: keys.secret.slice(0, -1) },
    { apikey: `${keys.publishable}, ${keys.secret}` },
    bearer(await auth.identity.sign({ ...claims, role: 'supabase_admin' })),
    bearer(await auth.identity.sign({ ...claims, role: 'supabase_auth_admin' })),
    bearer(await auth.identity.sign({ ...claims, role: 'SERVICE_ROLE' })),
    bearer(await auth.identity.sign({ ...claims, role: 'service_role ' })),
    bearer(await auth.identity.sign({ ...claims, app_metadata: { role: 'service_role' }, roles: ['service_role'] })),
  ]
  const routes = authRoutes.filter(({ access }) => access === 'service')
  expect(routes.length).toBeGreaterThan(25)
  for (const { method, path } of routes) {
    const at = path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
    for (const headers of strangers)
      expect([method, path, headers, await withHeaders(method, at, headers)]).toEqual([
        method,
        path,
        headers,
        expect.toSatisfy((status) => status === 401 || status === 403),
      ])
    for (const headers of [{ apikey: keys.secret }, bearer(keys.secret), bearer(keys.serviceRole)])
      expect([method, path, [401, 403].includes(await withHeaders(method, at, headers))]).toEqual([method, path, false])
  }
})
