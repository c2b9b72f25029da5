import type { SupabaseClient } from '@supabase/supabase-js'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

const SETTINGS = `
[auth]
site_url = "http://localhost:3000"
enable_anonymous_sign_ins = true
[auth.mfa]
max_enrolled_factors = 3
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
`

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS)
})
afterAll(() => auth.close())

let count = 0
const password = 'correct horse'

async function signUp() {
  const client = auth.client()
  const email = `factor${++count}@example.com`
  await client.auth.signUp({ email, password })
  return { client, email }
}

const codeNow = (secret: string, offset = 0): string =>
  generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) + offset })

async function enrolled(client: SupabaseClient, friendlyName = 'phone app') {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error || data.type !== 'totp') throw error ?? new Error('not a TOTP factor')
  return data
}

async function withFactor() {
  const { client, email } = await signUp()
  const { id, totp } = await enrolled(client)
  const { error } = await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeNow(totp.secret) })
  expect(error).toBeNull()
  // Codes are accepted only once, so the next answer needs the next code.
  auth.clock.advance(30)
  return { client, email, id, secret: totp.secret }
}

describe('TOTP', () => {
  test('enrolling returns a secret, its URI and a QR code', async () => {
    const { client, email } = await signUp()
    const factor = await enrolled(client)
    expect(factor).toMatchObject({ type: 'totp', friendly_name: 'phone app' })
    expect(factor.totp.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(factor.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /)
    const uri = new URL(factor.totp.uri)
    expect(decodeURIComponent(uri.pathname)).toContain(`localhost:3000:${email}`)
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: factor.totp.secret, issuer: 'localhost:3000' })
    expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id: factor.id, status: 'unverified' }])
  })

  test('verifying a factor raises the session to aal2 and ends the other sessions', async () => {
    const { client, email } = await signUp()
    const other = auth.client()
    await other.auth.signInWithPassword({ email, password })
    const { id, totp } = await enrolled(client)
    auth.clock.advance(1)
    const { data, error } = await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeNow(totp.secret) })
    expect(error).toBeNull()
    const { claims } = await auth.identity.verify(data?.access_token ?? '')
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp' }, { method: 'password' }] })
    expect(data?.user).toMatchObject({ factors: [{ id, status: 'verified', factor_type: 'totp' }] })
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal2',
      nextLevel: 'aal2',
    })
    expect((await other.auth.getUser()).error).not.toBeNull()
    expect((await client.auth.refreshSession()).error).toBeNull()
    const again = auth.client()
    await again.auth.signInWithPassword({ email, password })
    expect((await again.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    })
  })

  test("rejects a wrong code, a used or expired challenge and another user's factor", async () => {
    const { client, id, secret } = await withFactor()
    const { data } = await client.auth.mfa.challenge({ factorId: id })
    const challengeId = data?.id ?? ''
    const wrong = codeNow(secret) === '000000' ? '111111' : '000000'
    expect((await client.auth.mfa.verify({ factorId: id, challengeId, code: wrong })).error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid TOTP code entered',
    })
    expect(
      (await client.auth.mfa.verify({ factorId: id, challengeId, code: codeNow(secret, 600) })).error,
    ).not.toBeNull()
    expect((await client.auth.mfa.verify({ factorId: id, challengeId, code: codeNow(secret) })).error).toBeNull()
    expect((await client.auth.mfa.verify({ factorId: id, challengeId, code: codeNow(secret) })).error).toMatchObject({
      code: 'mfa_ip_address_mismatch',
    })
    const late = (await client.auth.mfa.challenge({ factorId: id })).data?.id ?? ''
    auth.clock.advance(301)
    expect(
      (await client.auth.mfa.verify({ factorId: id, challengeId: late, code: codeNow(secret) })).error,
    ).toMatchObject({
      code: 'mfa_challenge_expired',
    })
    const { client: stranger } = await signUp()
    expect((await stranger.auth.mfa.challenge({ factorId: id })).error).toMatchObject({ code: 'mfa_factor_not_found' })
  })

  test('a code is accepted only once', async () => {
    const { client, id, secret } = await withFactor()
    const answer = (code: string) => client.auth.mfa.challengeAndVerify({ factorId: id, code })
    const used = codeNow(secret)
    expect((await answer(used)).error).toBeNull()
    for (const pause of [0, 15, 29]) {
      auth.clock.advance(pause)
      expect((await answer(used)).error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
    }
    expect((await answer(codeNow(secret, 30))).error).toBeNull()
  })

  test('accepts one of two concurrent responses with the same code to two challenges', async () => {
    const { client, id, secret } = await withFactor()
    const token = (await client.auth.getSession()).data.session?.access_token
    const challenges = [
      await client.auth.mfa.challenge({ factorId: id }),
      await client.auth.mfa.challenge({ factorId: id }),
    ]
    const statuses = await Promise.all(
      challenges.map(async ({ data }) => {
        const response = await fetch(`${auth.url}/auth/v1/factors/${id}/verify`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ challenge_id: data?.id, code: codeNow(secret) }),
        })
        return response.status
      }),
    )
    expect(statuses.sort()).toEqual([200, 422])
  })

  test('a factor accepts at most ten wrong codes in five minutes', async () => {
    const { client, id, secret } = await withFactor()
    const answer = (code: string) => client.auth.mfa.challengeAndVerify({ factorId: id, code })
    const wrong = codeNow(secret) === '000000' ? '111111' : '000000'
    for (let tries = 0; tries < 10; tries++)
      expect((await answer(wrong)).error).toMatchObject({ code: 'mfa_verification_failed' })
    expect((await answer(codeNow(secret))).error).toMatchObject({ status: 429, code: 'over_request_rate_limit' })
    auth.clock.advance(30)
    expect((await answer(codeNow(secret))).error).toBeNull()
  })

  test('accepts one of two concurrent responses to one challenge', async () => {
    const { client, id, secret } = await withFactor()
    const challengeId = (await client.auth.mfa.challenge({ factorId: id })).data?.id ?? ''
    const token = (await client.auth.getSession()).data.session?.access_token
    const statuses = await Promise.all(
      [1, 2].map(async () => {
        const response = await fetch(`${auth.url}/auth/v1/factors/${id}/verify`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ challenge_id: challengeId, code: codeNow(secret) }),
        })
        return response.status
      }),
    )
    expect(statuses.sort()).toEqual([200, 422])
  })

  test('a user with a factor can neither enroll, unenroll nor change credentials at aal1', async () => {
    const { email, id } = await withFactor()
    const client = auth.client()
    await client.auth.signInWithPassword({ email, password })
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'second' })).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
    })
    expect((await client.auth.mfa.unenroll({ factorId: id })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
    })
    expect((await client.auth.updateUser({ password: 'battery staple' })).error).toMatchObject({
      status: 401,
      code: 'insufficient_aal',
    })
  })

  test.each([
    [
      'its owner',
      (client: SupabaseClient, _userId: string, factorId: string) => client.auth.mfa.unenroll({ factorId }),
    ],
    [
      'an administrator',
      (_client: SupabaseClient, userId: string, id: string) =>
        auth.client({ secret: true }).auth.admin.mfa.deleteFactor({ userId, id }),
    ],
  ])('a session falls back to aal1 when %s removes its factor', async (_name, remove) => {
    const { client, id } = await withFactor()
    const userId = (await client.auth.getUser()).data.user?.id ?? ''
    expect((await remove(client, userId, id)).error).toBeNull()
    const { data } = await client.auth.refreshSession()
    expect(data.user?.factors).toBeUndefined()
    const { claims } = await auth.identity.verify(data.session?.access_token ?? '')
    expect([claims.aal, claims.amr]).toEqual(['aal1', [expect.objectContaining({ method: 'password' })]])
  })

  test('factor names are unique and the number of factors is limited', async () => {
    const { client } = await signUp()
    await enrolled(client, 'a')
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'a' })).error).toMatchObject({
      code: 'mfa_factor_name_conflict',
      message: 'A factor with the friendly name "a" for this user already exists',
    })
    await enrolled(client, 'b')
    await enrolled(client, 'c')
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'd' })).error).toMatchObject({
      code: 'too_many_enrolled_mfa_factors',
    })
  })

  test('one of two concurrent enrollments with the same name succeeds', async () => {
    const { client } = await signUp()
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'x' })),
    )
    expect(answers.map(({ error }) => error?.code ?? 'enrolled').sort()).toEqual([
      'enrolled',
      'mfa_factor_name_conflict',
      'mfa_factor_name_conflict',
    ])
  })

  test('removes unverified factors after five minutes', async () => {
    const { client } = await signUp()
    for (const name of ['a', 'b', 'c']) await enrolled(client, name)
    auth.clock.advance(301)
    await enrolled(client, 'a')
    expect((await client.auth.mfa.listFactors()).data?.all.map(({ friendly_name }) => friendly_name)).toEqual(['a'])
  })

  test('a session keeps its level when refreshed, and a new session starts at aal1', async () => {
    const { client, email } = await withFactor()
    const { data } = await client.auth.refreshSession()
    expect((await auth.identity.verify(data.session?.access_token ?? '')).claims.aal).toBe('aal2')
    const below = await auth.client().auth.signInWithPassword({ email, password })
    expect((await auth.identity.verify(below.data.session?.access_token ?? '')).claims.aal).toBe('aal1')
    expect((await client.auth.getUser()).error).toBeNull()
  })

  test("anonymous users can't enroll factors, and phone and WebAuthn factors are off by default", async () => {
    const anonymous = auth.client()
    await anonymous.auth.signInAnonymously()
    expect((await anonymous.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      status: 403,
      code: 'no_authorization',
    })
    const { client } = await signUp()
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone: '+4915112345678' })).error).toMatchObject({
      code: 'mfa_phone_enroll_not_enabled',
    })
  })

  test('administrators list and remove factors', async () => {
    const { client, id } = await withFactor()
    const userId = (await client.auth.getUser()).data.user?.id ?? ''
    const admin = auth.client({ secret: true })
    expect((await admin.auth.admin.mfa.listFactors({ userId })).data?.factors).toMatchObject([
      { id, status: 'verified' },
    ])
    expect((await admin.auth.admin.mfa.deleteFactor({ userId, id })).error).toBeNull()
    expect((await admin.auth.admin.mfa.listFactors({ userId })).data?.factors).toEqual([])
  })
})
