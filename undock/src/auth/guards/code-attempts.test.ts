import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { tokenHash } from '../credentials/one-time-codes.ts'

const SETTINGS = `
[auth.email]
enable_confirmations = true
double_confirm_changes = false
secure_password_change = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
4915112345678 = "424242"
4915112345679 = "424242"
`

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS)
})
afterAll(() => auth.close())

let count = 0
const newEmail = () => `guess${++count}@example.com`
const password = 'correct horse'

const mailed = (email: string): string => /\b\d{6}\b/.exec(auth.mailTo(email).html)?.[0] ?? ''
const otherThan = (code: string, n: number) => String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0')
const SPENT = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }

async function withCode(type: 'signup' | 'magiclink' | 'recovery') {
  const email = newEmail()
  const client = auth.client()
  if (type === 'signup') await client.auth.signUp({ email, password })
  else {
    const admin = auth.client({ secret: true }).auth.admin
    await admin.createUser({ email, password, email_confirm: true })
    if (type === 'magiclink') await client.auth.signInWithOtp({ email })
    else await client.auth.resetPasswordForEmail(email)
  }
  return { client, email, code: mailed(email) }
}

describe('a code becomes invalid after ten wrong attempts', () => {
  test.each(['signup', 'magiclink', 'recovery'] as const)('of type %s', async (type) => {
    const { client, email, code } = await withCode(type)
    for (let n = 0; n < 10; n++)
      expect((await client.auth.verifyOtp({ email, type, token: otherThan(code, n) })).error).toMatchObject(SPENT)
    expect((await client.auth.verifyOtp({ email, type, token: code })).error).toMatchObject(SPENT)
    expect((await client.auth.verifyOtp({ email, type: 'email', token: code })).error).toMatchObject(SPENT)
    expect((await client.auth.verifyOtp({ token_hash: tokenHash(email, code), type })).error).toMatchObject({
      code: 'otp_expired',
    })

    auth.clock.advance(61)
    if (type === 'signup') await client.auth.resend({ type, email })
    else if (type === 'magiclink') await client.auth.signInWithOtp({ email })
    else await client.auth.resetPasswordForEmail(email)
    expect((await client.auth.verifyOtp({ email, type, token: mailed(email) })).error).toBeNull()
  })

  test('with concurrent attempts', async () => {
    const { client, email, code } = await withCode('magiclink')
    const wrong = Array.from({ length: 20 }, (_, n) => otherThan(code, n))
    await Promise.all(wrong.map((token) => client.auth.verifyOtp({ email, type: 'email', token })))
    expect((await client.auth.verifyOtp({ email, type: 'email', token: code })).error).toMatchObject(SPENT)
  })

  test('but not after nine', async () => {
    const { client, email, code } = await withCode('magiclink')
    for (let n = 0; n < 9; n++) await client.auth.verifyOtp({ email, type: 'email', token: otherThan(code, n) })
    expect((await client.auth.verifyOtp({ email, type: 'email', token: code })).error).toBeNull()
  })

  test('for a change of address', async () => {
    const { client, email, code } = await withCode('magiclink')
    await client.auth.verifyOtp({ email, type: 'email', token: code })
    const next = newEmail()
    expect((await client.auth.updateUser({ email: next })).error).toBeNull()
    const change = mailed(next)
    for (let n = 0; n < 10; n++)
      await client.auth.verifyOtp({ email: next, type: 'email_change', token: otherThan(change, n) })
    expect((await client.auth.verifyOtp({ email: next, type: 'email_change', token: change })).error).toMatchObject(
      SPENT,
    )
  })

  test('for a phone, including a test number of config.toml', async () => {
    const phone = '4915112345678'
    const client = auth.client()
    expect((await client.auth.signUp({ phone, password })).error).toBeNull()
    for (let n = 0; n < 10; n++) await client.auth.verifyOtp({ phone, type: 'sms', token: otherThan('424242', n) })
    expect((await client.auth.verifyOtp({ phone, type: 'sms', token: '424242' })).error).toMatchObject(SPENT)
  })

  test('for a reauthentication', async () => {
    const { client, email, code } = await withCode('magiclink')
    await client.auth.verifyOtp({ email, type: 'email', token: code })
    auth.clock.advance(25 * 60 * 60)
    await client.auth.refreshSession()
    expect((await client.auth.reauthenticate()).error).toBeNull()
    const nonce = mailed(email)
    const change = (token: string) => client.auth.updateUser({ password: 'battery staple', nonce: token })
    for (let n = 0; n < 10; n++)
      expect((await change(otherThan(nonce, n))).error).toMatchObject({ code: 'reauthentication_not_valid' })
    expect((await change(nonce)).error).toMatchObject({ code: 'reauthentication_not_valid' })
  })
})

test('limits attempts with code hashes, also from this machine', async () => {
  auth.clock.advance(600)
  const { client, email, code } = await withCode('magiclink')
  const guess = (token: string) => client.auth.verifyOtp({ token_hash: tokenHash(email, token), type: 'magiclink' })
  const codes: (string | undefined)[] = []
  for (let n = 0; n < 40; n++) codes.push((await guess(otherThan(code, n))).error?.code)
  expect(codes).toEqual([...Array(30).fill('otp_expired'), ...Array(10).fill('over_request_rate_limit')])
  expect((await guess(code)).error).toMatchObject({ status: 429 })
  auth.clock.advance(10)
  expect((await guess(code)).error).toBeNull()

  for (let n = 0; n < 32; n++) {
    const right = await withCode('magiclink')
    auth.clock.advance(1)
    const hash = tokenHash(right.email, right.code)
    expect((await client.auth.verifyOtp({ token_hash: hash, type: 'magiclink' })).error).toBeNull()
  }
})
