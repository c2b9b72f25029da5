import type { SupabaseClient } from '@supabase/supabase-js'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { recoveryCodeMatches } from './recovery-codes.ts'

const SETTINGS = `
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.recovery_codes]
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

const codeNow = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })

async function enroll(client: SupabaseClient, friendlyName: string): Promise<string> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error || data.type !== 'totp') throw error ?? new Error('not a TOTP factor')
  const verified = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: codeNow(data.totp.secret) })
  expect(verified.error).toBeNull()
  auth.clock.advance(30)
  return data.id
}

async function signUp() {
  const client = auth.client()
  const email = `codes${++count}@example.com`
  await client.auth.signUp({ email, password })
  return { client, email }
}

async function withCodes() {
  const { client, email } = await signUp()
  const factorId = await enroll(client, 'phone app')
  const { data, error } = await client.auth.mfa.recoveryCodes.generate()
  if (error) throw error
  return { client, email, factorId, ...data }
}

async function signIn(email: string): Promise<SupabaseClient> {
  const client = auth.client()
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  return client
}

test('returns codes once and creates a verified factor', async () => {
  const { client, factorId, id, codes, total, type, friendly_name } = await withCodes()
  expect([type, friendly_name, total, new Set(codes).size]).toEqual(['recovery_code', 'Recovery codes', 10, 10])
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{16}$/)
  expect((await client.auth.mfa.recoveryCodes.getStatus()).data).toEqual({ id, type, total: 10, remaining: 10 })
  const { data: factors } = await client.auth.mfa.listFactors()
  expect(factors?.all.map((factor) => [factor.id, factor.factor_type, factor.status])).toEqual([
    [factorId, 'totp', 'verified'],
    [id, 'recovery_code', 'verified'],
  ])
})

test('a code raises a new session to aal2, ends the other ones below it, and works once', async () => {
  const { email, codes, id } = await withCodes()
  const client = await signIn(email)
  const other = await signIn(email)
  auth.clock.advance(1)
  const typed = ` ${codes[0]?.slice(0, 8).toUpperCase()}-${codes[0]?.slice(8)}\n`
  const { data, error } = await client.auth.mfa.recoveryCodes.verify({ code: typed })
  expect(error).toBeNull()
  const { claims } = await auth.identity.verify(data?.access_token ?? '')
  expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }] })
  expect((await other.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  expect((await client.auth.mfa.recoveryCodes.getStatus()).data).toMatchObject({ id, total: 10, remaining: 9 })
  expect((await client.auth.mfa.recoveryCodes.verify({ code: typed })).error).toMatchObject({
    status: 422,
    code: 'mfa_verification_failed',
    message: 'Invalid recovery code entered',
  })
})

test('accepts a code in only one of two concurrent requests', async () => {
  const { email, codes } = await withCodes()
  const client = await signIn(email)
  const token = (await client.auth.getSession()).data.session?.access_token
  const verify = () =>
    fetch(`${auth.url}/auth/v1/factors/recovery-codes/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ code: codes[0] }),
    })
  const answers = await Promise.all([verify(), verify()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('the fifth wrong code locks for 15 minutes, and a correct one resets the count', async () => {
  const { email, codes } = await withCodes()
  const client = await signIn(email)
  const verify = (code = '') => client.auth.mfa.recoveryCodes.verify({ code })
  const wrong = async (times: number) => {
    for (let tries = 0; tries < times; tries++)
      expect((await verify('a'.repeat(16))).error?.code).toBe('mfa_verification_failed')
  }
  await wrong(4)
  expect((await verify(codes[0])).error).toBeNull()
  await wrong(5)
  expect((await verify(codes[1])).error).toMatchObject({ status: 429, code: 'mfa_recovery_codes_locked' })
  auth.clock.advance(15 * 60)
  await wrong(1)
  expect((await verify(codes[1])).error).toBeNull()
})

test('new codes replace the previous ones and lift the lock', async () => {
  const { client, email, codes, id } = await withCodes()
  const below = await signIn(email)
  for (let tries = 0; tries < 5; tries++) await below.auth.mfa.recoveryCodes.verify({ code: 'wrong' })
  const { data } = await client.auth.mfa.recoveryCodes.regenerate()
  expect(data).toMatchObject({ id, type: 'recovery_code', friendly_name: 'Recovery codes', total: 10 })
  const verify = (code = '') => below.auth.mfa.recoveryCodes.verify({ code })
  expect((await verify(codes[0])).error?.code).toBe('mfa_verification_failed')
  expect((await verify(data?.codes[0])).error).toBeNull()
})

test('a session falls back to aal1 when the codes that raised it are deleted', async () => {
  const { email, codes, id } = await withCodes()
  const client = await signIn(email)
  auth.clock.advance(1)
  await client.auth.mfa.recoveryCodes.verify({ code: codes[0] ?? '' })
  auth.clock.advance(1)
  expect((await client.auth.mfa.recoveryCodes.unenroll()).data).toEqual({ id })
  const { data } = await client.auth.refreshSession()
  expect((await auth.identity.verify(data.session?.access_token ?? '')).claims.aal).toBe('aal1')
  expect((await client.auth.mfa.recoveryCodes.getStatus()).error).toMatchObject({ code: 'mfa_factor_not_found' })
  const { rows } = await auth.db.query(
    statement(sql`select payload ->> 'action' as action, payload ->> 'log_type' as type,
      payload -> 'traits' as traits from auth.audit_log_entries
      where payload #>> '{traits,factor_id}' = ${id} order by created_at`),
  )
  expect(rows).toEqual([
    { action: 'recovery_codes_generated', type: 'factor', traits: { factor_id: id, count: 10 } },
    { action: 'recovery_codes_verified', type: 'factor', traits: { factor_id: id, remaining: 9 } },
    { action: 'recovery_codes_deleted', type: 'factor', traits: { factor_id: id } },
  ])
})

describe('limits', () => {
  test('codes need a session at aal2 and another verified factor', async () => {
    const { client } = await signUp()
    const { recoveryCodes } = client.auth.mfa
    expect((await recoveryCodes.generate()).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 required to generate recovery codes',
    })
    expect((await recoveryCodes.verify({ code: 'a' })).error).toMatchObject({ code: 'mfa_verification_failed' })
    expect((await recoveryCodes.verify({ code: ' - ' })).error).toMatchObject({ code: 'validation_failed' })
    expect((await recoveryCodes.getStatus()).error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' })
  })

  test("a user has one set of codes, and a session below aal2 can't change it", async () => {
    const { client, email } = await withCodes()
    expect((await client.auth.mfa.recoveryCodes.generate()).error).toMatchObject({
      status: 422,
      code: 'mfa_verified_factor_exists',
    })
    const { recoveryCodes } = (await signIn(email)).auth.mfa
    for (const { error } of [await recoveryCodes.regenerate(), await recoveryCodes.unenroll()])
      expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' })
  })

  test('codes never become the only factor, and only their own endpoint deletes them', async () => {
    const { client, factorId, id } = await withCodes()
    const { mfa } = client.auth
    expect((await mfa.unenroll({ factorId: id })).error).toMatchObject({ status: 422, code: 'validation_failed' })
    expect((await mfa.challenge({ factorId: id })).error).toMatchObject({ status: 400, code: 'validation_failed' })
    expect((await mfa.unenroll({ factorId })).error).toMatchObject({
      status: 422,
      code: 'mfa_recovery_codes_sole_factor',
    })
    await enroll(client, 'second app')
    expect((await mfa.unenroll({ factorId })).error).toBeNull()
  })

  test('are off unless enabled in config.toml', async () => {
    const plain = await startTestAuth()
    try {
      const client = plain.client()
      await client.auth.signUp({ email: 'ada@example.com', password })
      const { recoveryCodes } = client.auth.mfa
      expect((await recoveryCodes.generate()).error?.code).toBe('mfa_recovery_codes_enroll_not_enabled')
      expect((await recoveryCodes.regenerate()).error?.code).toBe('mfa_recovery_codes_enroll_not_enabled')
      expect((await recoveryCodes.verify({ code: 'a' })).error?.code).toBe('mfa_recovery_codes_verify_not_enabled')
    } finally {
      await plain.close()
    }
  })
})

test.each([
  ['password', true],
  ['passwords', false],
])('whether %s matches a hash of the Argon2 reference implementation (its test.c): %s', async (code, matches) => {
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  expect(await recoveryCodeMatches(hash, code)).toBe(matches)
})

test.each([
  ['', 'nothing'],
  ['$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me', 'bcrypt'],
  ['$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2g', 'more memory than is allowed'],
  ['$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2g', 'less memory than a lane needs'],
  ['$argon2id$v=19$m=8,t=0,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2g', 'no pass'],
])('the stored hash %j matches no code: %s', async (hash) => {
  expect(await recoveryCodeMatches(hash, 'secret')).toBe(false)
})
