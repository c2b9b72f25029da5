import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { startExternalServices } from '../../testing/external-services.ts'

const MFA = `
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
template = "MFA {{ .Code }}"
`

let refused = false
let externalServices: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
beforeAll(async () => {
  externalServices = await startExternalServices(() =>
    refused ? { status: 400, body: { message: 'No.', more_info: 'x' } } : { status: 201, body: { sid: 'SM1' } },
  )
  auth = await startTestAuth(
    `[auth]
[auth.email]
secure_password_change = true
[auth.sms]
enabled = true
enable_confirmations = true
template = "Code {{ .Code }}"
[auth.sms.test_otp]
15550000000 = "424242"
[auth.sms.twilio]
enabled = true
account_sid = "AC1"
message_service_sid = "MG1"
auth_token = "token"
${MFA}`,
    '',
    { fetch: externalServices.fetch },
  )
})
afterAll(async () => {
  await auth.close()
  await externalServices.close()
})

const lastCode = () => /(\d{6})$/.exec(externalServices.requests.at(-1)?.form.Body ?? '')?.[1] ?? ''

async function withPhone(phone: string): Promise<SupabaseClient> {
  const client = auth.client()
  await client.auth.signUp({ phone, password: 'correct horse' })
  await client.auth.verifyOtp({ phone, token: lastCode(), type: 'sms' })
  auth.clock.advance(10)
  return client
}

describe('a phone', () => {
  test('signs up with a password, is confirmed by the code and signs in', async () => {
    const client = auth.client()
    const made = await client.auth.signUp({ phone: '+1 555 0001', password: 'correct horse' })
    expect(made.data).toMatchObject({ session: null, user: { phone: '15550001' } })
    expect(externalServices.requests.at(-1)?.form).toMatchObject({
      To: '+15550001',
      Body: expect.stringMatching(/^Code \d{6}$/),
    })
    const early = await client.auth.signInWithPassword({ phone: '15550001', password: 'correct horse' })
    expect(early.error?.code).toBe('phone_not_confirmed')
    const { data } = await client.auth.verifyOtp({ phone: '15550001', token: lastCode(), type: 'sms' })
    expect(data.user).toMatchObject({ phone: '15550001', phone_confirmed_at: expect.any(String) })
    expect((await client.auth.signInWithPassword({ phone: '15550001', password: 'correct horse' })).error).toBeNull()
  })

  test('signs in once with only a code', async () => {
    const client = auth.client()
    const sent = await client.auth.signInWithOtp({ phone: '15550002' })
    expect(sent.error).toBeNull()
    const token = lastCode()
    expect((await client.auth.verifyOtp({ phone: '15550002', token: '000000', type: 'sms' })).error?.code).toBe(
      'otp_expired',
    )
    expect((await client.auth.verifyOtp({ phone: '15550002', token, type: 'sms' })).data.user?.phone).toBe('15550002')
    expect((await client.auth.verifyOtp({ phone: '15550002', token, type: 'sms' })).error?.code).toBe('otp_expired')
    auth.clock.advance(10)
    const again = await client.auth.signInWithOtp({ phone: '15550002', options: { channel: 'whatsapp' } })
    expect(again.data.messageId).toBe('SM1')
    expect(externalServices.requests.at(-1)?.form.To).toBe('whatsapp:+15550002')
  })

  test('receives a code at most once in five seconds', async () => {
    const client = auth.client()
    await client.auth.signInWithOtp({ phone: '15550003' })
    const { error } = await client.auth.signInWithOtp({ phone: '15550003' })
    expect(error).toMatchObject({
      status: 429,
      code: 'over_sms_send_rate_limit',
      message: expect.stringContaining('after 5 seconds'),
    })
  })

  test('that is a test number receives no message', async () => {
    const before = externalServices.requests.length
    const client = auth.client()
    await client.auth.signInWithOtp({ phone: '15550000000' })
    expect(externalServices.requests).toHaveLength(before)
    expect((await client.auth.verifyOtp({ phone: '15550000000', token: '424242', type: 'sms' })).error).toBeNull()
  })

  test('is changed with the code sent to the new number', async () => {
    const client = await withPhone('15550004')
    const { data } = await client.auth.updateUser({ phone: '15550005' })
    expect(data.user).toMatchObject({ phone: '15550004', new_phone: '15550005' })
    const changed = await client.auth.verifyOtp({ phone: '15550005', token: lastCode(), type: 'phone_change' })
    expect(changed.data.user?.phone).toBe('15550005')
  })

  test('confirms a password change', async () => {
    const client = await withPhone('15550006')
    auth.clock.advance(25 * 3600)
    await client.auth.refreshSession()
    expect((await client.auth.updateUser({ password: 'another horse' })).error?.code).toBe('reauthentication_needed')
    expect((await client.auth.reauthenticate()).error).toBeNull()
    const nonce = lastCode()
    expect((await client.auth.updateUser({ password: 'another horse', nonce: '000000' })).error?.code).toBe(
      'reauthentication_not_valid',
    )
    expect((await client.auth.updateUser({ password: 'another horse', nonce })).error).toBeNull()
  })

  test("returns the provider's error", async () => {
    refused = true
    const { error } = await auth.client().auth.signInWithOtp({ phone: '15550007' })
    refused = false
    expect(error).toMatchObject({
      status: 422,
      code: 'sms_send_failed',
      message: 'Error sending confirmation OTP to provider: No. More information: x',
    })
  })

  test.each(['fax', 'SMS', '__proto__'])("can't be reached by the channel %s", async (channel) => {
    const { error } = await auth
      .client()
      .auth.signInWithOtp({ phone: '15550008', options: { channel: channel as 'sms' } })
    expect(error?.message).toContain('Invalid channel')
  })
})

describe('a phone as second factor', () => {
  const enrolled = async (name: string, phone: string) => {
    const client = auth.client()
    await client.auth.signUp({ email: `${name}@example.com`, password: 'correct horse' })
    const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'phone' })
    return { client, id: data?.id ?? '', data }
  }

  test('accepts at most ten wrong codes for a challenge, then rejects the right one', async () => {
    const { client, id } = await enrolled('guesser', '+1 555 1009')
    const challengeId = (await client.auth.mfa.challenge({ factorId: id })).data?.id ?? ''
    const code = lastCode()
    const answer = (text: string) => client.auth.mfa.verify({ factorId: id, challengeId, code: text })
    for (let n = 1; n <= 10; n++) {
      const wrong = String((Number(code) + n) % 1_000_000).padStart(6, '0')
      expect((await answer(wrong)).error).toMatchObject({ code: 'mfa_verification_failed' })
    }
    expect((await answer(code)).error).toMatchObject({ status: 422, code: 'mfa_challenge_expired' })
  })

  test('can be enrolled, challenged and verified, and raises the session', async () => {
    const { client, id, data } = await enrolled('factor', '+1 555 1001')
    expect(data).toEqual({ id, type: 'phone', friendly_name: 'phone', phone: '+1 555 1001' })
    const { data: challenge } = await client.auth.mfa.challenge({ factorId: id, channel: 'sms' })
    expect(challenge).toMatchObject({ type: 'phone', expires_at: expect.any(Number) })
    expect(externalServices.requests.at(-1)?.form).toMatchObject({
      To: '+15551001',
      Body: expect.stringMatching(/^MFA \d{6}$/),
    })
    const challengeId = challenge?.id ?? ''
    const wrong = await client.auth.mfa.verify({ factorId: id, challengeId, code: '000000' })
    expect(wrong.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid MFA Phone code entered',
    })
    const code = lastCode()
    const answers = await Promise.all([1, 2].map(() => client.auth.mfa.verify({ factorId: id, challengeId, code })))
    expect(answers.map(({ error }) => error?.code ?? 'verified').sort()).toEqual([
      'mfa_ip_address_mismatch',
      'verified',
    ])
    const { data: level } = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(level).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect(
      level?.currentAuthenticationMethods.map((entry) => (typeof entry === 'string' ? entry : entry.method)),
    ).toContain('mfa/phone')
    const twice = await client.auth.mfa.enroll({ factorType: 'phone', phone: '15551001', friendlyName: 'other' })
    expect(twice.error?.code).toBe('mfa_verified_factor_exists')
  })

  test('is challenged at most once in five seconds, and a challenge expires', async () => {
    const { client, id } = await enrolled('slow', '15551002')
    const { data } = await client.auth.mfa.challenge({ factorId: id })
    expect((await client.auth.mfa.challenge({ factorId: id })).error?.code).toBe('over_sms_send_rate_limit')
    const code = lastCode()
    auth.clock.advance(301)
    const late = await client.auth.mfa.verify({ factorId: id, challengeId: data?.id ?? '', code })
    expect(late.error?.code).toBe('mfa_challenge_expired')
  })

  test('needs a number', async () => {
    const { client } = await enrolled('none', '15551003')
    const bad = await client.auth.mfa.enroll({ factorType: 'phone', phone: 'x', friendlyName: 'b' })
    expect(bad.error?.message).toBe('Invalid phone number format (E.164 required)')
    const missing = await client.auth.mfa.enroll({ factorType: 'phone', phone: '', friendlyName: 'c' })
    expect(missing.error?.message).toBe('Phone number required to enroll Phone factor')
  })

  test('can be given another number by an administrator', async () => {
    const { client, id } = await enrolled('moved', '15551004')
    const userId = (await client.auth.getUser()).data.user?.id ?? ''
    const response = await fetch(`${auth.url}/auth/v1/admin/users/${userId}/factors/${id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${auth.identity.keys.serviceRole}` },
      body: JSON.stringify({ phone: '+15551005' }),
    })
    expect(await response.json()).toMatchObject({ phone: '15551005' })
  })
})

test('checks codes generated by Twilio Verify there', async () => {
  const verify = await startExternalServices(({ url, form }) =>
    url.pathname.endsWith('VerificationCheck')
      ? { body: { status: form.Code === '777777' ? 'approved' : 'pending', valid: form.Code === '777777' } }
      : { status: 201, body: { sid: 'VE1' } },
  )
  const own = await startTestAuth(
    `[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.twilio_verify]
enabled = true
account_sid = "AC1"
message_service_sid = "VA1"
auth_token = "token"
${MFA}`,
    '',
    { fetch: verify.fetch },
  )
  const client = own.client()
  await client.auth.signInWithOtp({ phone: '15552001' })
  expect((await client.auth.verifyOtp({ phone: '15552001', token: '123456', type: 'sms' })).error?.code).toBe(
    'otp_expired',
  )
  expect((await client.auth.verifyOtp({ phone: '15552001', token: '777777', type: 'sms' })).error).toBeNull()
  const asked = verify.requests.length
  expect((await own.client().auth.verifyOtp({ phone: '15559999', token: '777777', type: 'sms' })).error?.code).toBe(
    'otp_expired',
  )
  expect(verify.requests).toHaveLength(asked)
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '15552002', friendlyName: 'p' })
  const factorId = factor?.id ?? ''
  const { data: challenge } = await client.auth.mfa.challenge({ factorId })
  const challengeId = challenge?.id ?? ''
  expect((await client.auth.mfa.verify({ factorId, challengeId, code: '1' })).error?.code).toBe('otp_expired')
  expect((await client.auth.mfa.verify({ factorId, challengeId, code: '777777' })).error).toBeNull()
  await own.close()
  await verify.close()
})
