import { SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { systemClock } from '../kernel/service.ts'
import { authenticate } from './authentication.ts'
import { mergeSettings } from './settings.ts'

const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
const secret = new TextEncoder().encode(config.auth.jwt_secret)
const token = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)

let identity: Identity
beforeAll(async () => {
  identity = await createIdentity({ config: config.auth, clock: systemClock })
})

const asking = (headers: Record<string, string>, overrides: Record<string, string> = {}) =>
  authenticate(
    new Request('http://undock.test/rest/v1/books', { headers }),
    identity,
    mergeSettings(config.api, new Map(Object.entries(overrides))),
  )
const bearing = async (claims: Record<string, unknown>) => ({ authorization: `Bearer ${await token(claims)}` })

describe('the caller', () => {
  const guest = { db_anon_role: 'guest' }
  test.each<[string, () => Promise<Record<string, string>>, Record<string, string>, string]>([
    ['nobody', async () => ({}), {}, 'anon'],
    ['nobody, where that is another role', async () => ({}), guest, 'guest'],
    ['somebody of another scheme is nobody', async () => ({ authorization: 'Basic YTpi' }), {}, 'anon'],
    ['a role', () => bearing({ role: 'authenticated' }), {}, 'authenticated'],
    ['a token without a role', () => bearing({ sub: 'u1' }), {}, 'anon'],
    ['a token without a role, where nobody is another', () => bearing({ sub: 'u1' }), guest, 'guest'],
    ['a token that says anon, where nobody is another', () => bearing({ role: 'anon' }), guest, 'anon'],
    ['a key', async () => ({ apikey: identity.keys.publishable }), {}, 'anon'],
    ['the key of the service', async () => ({ apikey: identity.keys.secret }), guest, 'service_role'],
    [
      'a role at another place',
      () => bearing({ app: { role: 'editor' } }),
      { jwt_role_claim_key: '.app.role' },
      'editor',
    ],
    ['an audience that is asked for', () => bearing({ role: 'a', aud: ['x', 'y'] }), { jwt_aud: 'y' }, 'a'],
  ])('%s', async (_name, headers, overrides, role) => {
    expect((await asking(await headers(), overrides)).role).toBe(role)
  })
})

describe('a token is refused', () => {
  const past = 1_000_000_000
  const future = 9_999_999_999
  test.each<[string, () => Promise<Record<string, string>>, string, string]>([
    [
      'an empty bearer',
      async () => ({ authorization: 'Bearer ' }),
      'PGRST301',
      'Empty JWT is sent in Authorization header',
    ],
    ['one part', async () => ({ authorization: 'Bearer a' }), 'PGRST301', 'Expected 3 parts in JWT; got 1'],
    ['no token', async () => ({ authorization: 'Bearer a.b.c' }), 'PGRST301', 'JWT cryptographic operation failed'],
    ['a past end', () => bearing({ exp: past }), 'PGRST303', 'JWT expired'],
    ['a start to come', () => bearing({ nbf: future }), 'PGRST303', 'JWT not yet valid'],
    ['an end that is no time', () => bearing({ exp: 'x' }), 'PGRST303', "The JWT 'exp' claim must be a number"],
    ['a start that is no time', () => bearing({ nbf: 'x' }), 'PGRST303', "The JWT 'nbf' claim must be a number"],
    ['an issue that is no time', () => bearing({ iat: 'x' }), 'PGRST303', "The JWT 'iat' claim must be a number"],
    [
      'an audience that is none',
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
