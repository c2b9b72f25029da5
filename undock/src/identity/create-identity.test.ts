import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { createIdentity, type IdentityOptions } from './create-identity.ts'
import type { Identity } from './identity.ts'

const config: IdentityOptions['config'] = {
  jwt_secret: 'super-secret-jwt-token-with-at-least-32-characters-long',
  jwt_issuer: 'http://127.0.0.1:54321/auth/v1',
  signing_keys: [],
  publishable_key: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  secret_key: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
  anon_key: '',
  service_role_key: '',
}
const now = new Date('2026-11-20T12:00:00Z')
const seconds = now.getTime() / 1000
const secret = new TextEncoder().encode(config.jwt_secret)
const hs256 = (claims: Record<string, unknown>, key = secret) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key)

let identity: Identity
let time = now
beforeAll(async () => {
  identity = await createIdentity({ config, clock: { now: () => time } })
})

const asking = (headers: Record<string, string>, url = 'http://x/rest/v1/t') =>
  identity.authenticate(new Request(url, { headers }))

describe('identifies the caller', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an anonymous caller', {}, 'anon'],
    ['the publishable key', { apikey: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH' }, 'anon'],
    ['the secret key', { apikey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz' }, 'service_role'],
    [
      'a key repeated as bearer',
      {
        apikey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
        authorization: 'Bearer sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
      },
      'service_role',
    ],
    [
      'a key sent as bearer only',
      { authorization: 'Bearer sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz' },
      'service_role',
    ],
  ])('%s', async (_name, headers, role) => {
    expect((await asking(headers)).role).toBe(role)
  })

  test('a token takes precedence over an API key', async () => {
    const token = await identity.sign({ role: 'authenticated', sub: 'u1', exp: seconds + 60 })
    const principal = await asking({ apikey: identity.keys.secret, authorization: `Bearer ${token}` })
    expect(principal).toEqual({
      role: 'authenticated',
      claims: { role: 'authenticated', sub: 'u1', exp: seconds + 60 },
    })
  })

  test('the legacy keys are the tokens of supabase start', async () => {
    const { payload } = await jwtVerify(identity.keys.anon, secret, { currentDate: now })
    expect(payload).toEqual({ iss: 'supabase-demo', role: 'anon', exp: 1983812996 })
  })
})

test('only the Data API accepts a token that just expired', async () => {
  const request = async (age: number) =>
    new Request('http://x', {
      headers: { authorization: `Bearer ${await hs256({ role: 'authenticated', exp: seconds - age })}` },
    })
  await expect(identity.authenticate(await request(5))).rejects.toMatchObject({ fault: 'expired' })
  const accept = identity.forDataApi(null)
  expect(await accept(await request(5))).toMatchObject({ role: 'authenticated' })
  await expect(accept(await request(40))).rejects.toMatchObject({ fault: 'expired' })
})

describe('rejects a token', () => {
  const cases: Array<[string, string, () => Promise<string>]> = [
    ['when it is malformed', 'malformed', async () => 'nonsense'],
    ['when it is unsigned', 'malformed', async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
    [
      'when another secret signed it',
      'signature',
      () => hs256({ role: 'service_role' }, new TextEncoder().encode('x'.repeat(32))),
    ],
    ['when it has expired', 'expired', () => hs256({ role: 'authenticated', exp: seconds - 60 })],
    ['when it is not valid yet', 'not_yet_valid', () => hs256({ role: 'authenticated', nbf: seconds + 600 })],
    [
      'when its start is not a number',
      'claims',
      () => hs256({ role: 'authenticated', nbf: 'soon' as unknown as number }),
    ],
    [
      'when its signing key is unknown',
      'signature',
      async () => {
        const { privateKey } = await generateKeyPair('ES256')
        return new SignJWT({ role: 'service_role' })
          .setProtectedHeader({ alg: 'ES256', kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90' })
          .sign(privateKey)
      },
    ],
    [
      'when the public key was used as a shared secret',
      'signature',
      () => hs256({ role: 'service_role' }, new TextEncoder().encode(JSON.stringify(identity.jwks().keys[0]))),
    ],
    ['when the API key is unknown', 'signature', async () => 'sb_secret_guess'],
  ]
  test.each(cases)('%s', async (_name, fault, token) => {
    await expect(identity.verify(await token())).rejects.toMatchObject({ name: 'TokenError', fault })
  })

  test('when it expires after it was verified before', async () => {
    const token = await identity.sign({ role: 'authenticated', exp: seconds + 60 })
    await identity.verify(token)
    time = new Date(now.getTime() + 120_000)
    await expect(identity.verify(token)).rejects.toMatchObject({ fault: 'expired' })
    time = now
  })
})

test('the key set verifies signed tokens and contains no private key', async () => {
  const token = await identity.sign({ role: 'authenticated', sub: 'u1' })
  const [key] = identity.jwks().keys
  expect(Object.keys(key ?? {})).not.toContain('d')
  const { payload, protectedHeader } = await jwtVerify(token, await importJWK(key ?? {}, 'ES256'))
  expect([payload.sub, protectedHeader.alg, protectedHeader.kid]).toEqual(['u1', 'ES256', key?.kid])
})

test("signs all tokens with the project's own first key, including RS256", async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const own = { ...(await exportJWK(privateKey)), kty: 'RSA', kid: 'own', alg: 'RS256' }
  const custom = await createIdentity({
    config: { ...config, signing_keys: [own] },
    clock: { now: () => now },
  })
  expect((await custom.verify(custom.keys.serviceRole)).role).toBe('service_role')
  const { protectedHeader } = await jwtVerify(
    await custom.sign({ role: 'authenticated' }),
    await importJWK(custom.jwks().keys[0] ?? {}, 'RS256'),
  )
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'own' })
})
