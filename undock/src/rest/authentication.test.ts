import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { systemClock } from '../kernel/service.ts'
import { type Authenticate, createAuthentication } from './authentication.ts'
import { mergeSettings } from './settings.ts'

const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
const secret = new TextEncoder().encode(config.auth.jwt_secret)
const token = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)

let identity: Identity
let authenticate: Authenticate
beforeAll(async () => {
  identity = await createIdentity({ config: config.auth, clock: systemClock })
  authenticate = createAuthentication(identity, systemClock)
})

const asking = (headers: Record<string, string>, overrides: Record<string, string> = {}) =>
  authenticate(
    new Request('http://undock.test/rest/v1/books', { headers }),
    mergeSettings(config.api, new Map(Object.entries(overrides))),
  )
const bearing = async (claims: Record<string, unknown>) => ({ authorization: `Bearer ${await token(claims)}` })

describe('the caller', () => {
  const guest = { db_anon_role: 'guest' }
  test.each<[string, () => Promise<Record<string, string>>, Record<string, string>, string]>([
    ['nobody', async () => ({}), {}, 'anon'],
    ['no token, with another anonymous role', async () => ({}), guest, 'guest'],
    ['another authorization scheme counts as anonymous', async () => ({ authorization: 'Basic YTpi' }), {}, 'anon'],
    ['a role', () => bearing({ role: 'authenticated' }), {}, 'authenticated'],
    ['a token without a role', () => bearing({ sub: 'u1' }), {}, 'anon'],
    ['a token without a role, with another anonymous role', () => bearing({ sub: 'u1' }), guest, 'guest'],
    ['a token for anon, with another anonymous role', () => bearing({ role: 'anon' }), guest, 'anon'],
    ['an API key', async () => ({ apikey: identity.keys.publishable }), {}, 'anon'],
    ['the secret key', async () => ({ apikey: identity.keys.secret }), guest, 'service_role'],
    [
      'a role in another claim',
      () => bearing({ app: { role: 'editor' } }),
      { jwt_role_claim_key: '$.app.role' },
      'editor',
    ],
    [
      'a role in another claim, in the old syntax',
      () => bearing({ app: { role: 'editor' } }),
      { jwt_role_claim_key: '.app.role' },
      'editor',
    ],
    ['the required audience', () => bearing({ role: 'a', aud: ['x', 'y'] }), { jwt_aud: 'y' }, 'a'],
  ])('%s', async (_name, headers, overrides, role) => {
    expect((await asking(await headers(), overrides)).role).toBe(role)
  })
})

const UNSECURED = [{ alg: 'none' }, { role: 'service_role' }, 'x']
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')

describe('rejects a token', () => {
  const past = 1_000_000_000
  const future = 9_999_999_999
  test.each<[string, () => Promise<Record<string, string>>, string, string]>([
    [
      'an empty bearer',
      async () => ({ authorization: 'Bearer ' }),
      'PGRST301',
      'Empty JWT is sent in Authorization header',
    ],
    ['a single part', async () => ({ authorization: 'Bearer a' }), 'PGRST301', 'Expected 3 parts in JWT; got 1'],
    ['not a token', async () => ({ authorization: 'Bearer a.b.c' }), 'PGRST301', 'JWT cryptographic operation failed'],
    ['an expired token', () => bearing({ exp: past }), 'PGRST303', 'JWT expired'],
    ['a token not valid yet', () => bearing({ nbf: future }), 'PGRST303', 'JWT not yet valid'],
    ['a token issued in the future', () => bearing({ iat: future }), 'PGRST303', 'JWT issued at future'],
    [
      'the algorithm none',
      async () => ({ authorization: `Bearer ${UNSECURED}` }),
      'PGRST301',
      'Wrong or unsupported encoding algorithm',
    ],
    ['an invalid exp', () => bearing({ exp: 'x' }), 'PGRST303', "The JWT 'exp' claim must be a number"],
    ['an invalid nbf', () => bearing({ nbf: 'x' }), 'PGRST303', "The JWT 'nbf' claim must be a number"],
    ['an invalid iat', () => bearing({ iat: 'x' }), 'PGRST303', "The JWT 'iat' claim must be a number"],
    [
      'an invalid aud',
      () => bearing({ aud: [1] }),
      'PGRST303',
      "The JWT 'aud' claim must be a string or an array of strings",
    ],
  ])('%s', async (_name, headers, code, message) => {
    await expect(asking(await headers())).rejects.toMatchObject({
      status: 401,
      code,
      message,
      headers: { 'www-authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}` },
    })
  })

  test('for another audience', async () => {
    const refused = asking(await bearing({ role: 'authenticated', aud: 'x' }), { jwt_aud: 'y' })
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'PGRST303', message: 'JWT not in audience' })
  })
})

describe('the setting jwt_secret', () => {
  const ownSecret = 'another-secret-of-at-least-32-characters'
  const signedWith = async (key: Parameters<SignJWT['sign']>[0], alg: string) => ({
    authorization: `Bearer ${await new SignJWT({ role: 'editor' }).setProtectedHeader({ alg }).sign(key)}`,
  })
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('verifies tokens instead of the project’s keys', async () => {
    const settings = { jwt_secret: ownSecret }
    expect((await asking(await signedWith(bytes(ownSecret), 'HS256'), settings)).role).toBe('editor')
    await expect(asking(await bearing({ role: 'editor' }), settings)).rejects.toMatchObject({
      status: 401,
      code: 'PGRST301',
      message: 'No suitable key or wrong key type',
      details: 'None of the keys was able to decode the JWT',
    })
    await expect(asking(await signedWith(bytes(ownSecret), 'HS256'))).rejects.toMatchObject({ code: 'PGRST301' })
    expect((await asking({ apikey: identity.keys.secret }, settings)).role).toBe('service_role')
  })

  test('can be Base64', async () => {
    const binary = Uint8Array.from({ length: 32 }, (_, index) => 224 + index)
    const settings = { jwt_secret: Buffer.from(binary).toString('base64url'), jwt_secret_is_base64: 'true' }
    expect((await asking(await signedWith(binary, 'HS256'), settings)).role).toBe('editor')
  })

  test('can be a JWK or a JWK set, where each key verifies its own algorithm', async () => {
    const [first, second] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
    const [firstKey, secondKey] = [await exportJWK(first.publicKey), await exportJWK(second.publicKey)]
    const one = { jwt_secret: JSON.stringify(firstKey) }
    expect((await asking(await signedWith(first.privateKey, 'RS256'), one)).role).toBe('editor')
    await expect(asking(await signedWith(second.privateKey, 'RS256'), one)).rejects.toMatchObject({ code: 'PGRST301' })
    const shared = { kty: 'oct', k: Buffer.from(ownSecret).toString('base64url'), alg: 'HS512' }
    const set = { jwt_secret: JSON.stringify({ keys: [firstKey, secondKey, shared] }) }
    expect((await asking(await signedWith(second.privateKey, 'RS256'), set)).role).toBe('editor')
    expect((await asking(await signedWith(bytes(ownSecret), 'HS512'), set)).role).toBe('editor')
    await expect(asking(await signedWith(bytes(ownSecret), 'HS256'), set)).rejects.toMatchObject({ code: 'PGRST301' })
    const publicBytes = bytes(JSON.stringify(firstKey))
    await expect(asking(await signedWith(publicBytes, 'HS256'), one)).rejects.toMatchObject({ code: 'PGRST301' })
  })
})
