// Guessed codes, and codes and tokens used by many concurrent requests.
import { createHash, randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linkIn, startTestAuth, type TestAuth } from '../../src/testing/auth.ts'
import { startExternalServices } from '../../src/testing/external-services.ts'

const password = 'correct horse'

let services: Awaited<ReturnType<typeof startExternalServices>>
let auth: TestAuth
beforeAll(async () => {
  services = await startExternalServices(() => ({ body: { messages: [{ status: '0' }] } }))
  auth = await startTestAuth(
    `
[auth]
additional_redirect_urls = ["https://app.test/**"]
[auth.email]
enable_confirmations = true
max_frequency = "1m"
[auth.sms]
enabled = true
[auth.sms.vonage]
enabled = true
from = "Test"
api_key = "k"
api_secret = "s"
[auth.mfa]
max_enrolled_factors = 10
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "1s"
`,
    '',
    { fetch: services.fetch },
  )
})
afterAll(async () => {
  await auth.close()
  await services.close()
})
// Resets the limits for each test.
beforeEach(() => auth.clock.advance(3600))

async function member() {
  const email = `${crypto.randomUUID()}@example.com`
  await auth.client({ secret: true }).auth.admin.createUser({ email, password, email_confirm: true })
  const client = auth.client()
  const { data } = await client.auth.signInWithPassword({ email, password })
  return { client, email, token: data.session?.access_token ?? '', refresh: data.session?.refresh_token ?? '' }
}

async function post(path: string, body: object, token = '') {
  const response = await fetch(`${auth.url}/auth/v1${path}`, {
    method: 'POST',
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const codeOf = (secret: string) => generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })

describe('second factors', () => {
  test('of a user allow ten guesses in total, in turns or in parallel, across factors and challenges', async () => {
    const { client, token } = await member()
    const factors: { readonly id: string; readonly secret: string }[] = []
    for (let n = 0; n < 4; n++) {
      const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `totp ${n}` })
      factors.push({ id: data?.id ?? '', secret: data?.totp.secret ?? '' })
    }
    const { data: phone } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+15551234', friendlyName: 'p' })
    factors.push({ id: phone?.id ?? '', secret: '' })
    const right = new Set(factors.map(({ secret }) => (secret === '' ? '' : codeOf(secret))))
    const guess = async (factor: string, code: string) => {
      const { status, body } = await post(`/factors/${factor}/challenge`, {}, token)
      expect([status, body]).toEqual([200, expect.objectContaining({ id: expect.any(String) })])
      return post(`/factors/${factor}/verify`, { challenge_id: body.id, code }, token)
    }
    const codes = Array.from({ length: 60 }, (_, n) => String(n).padStart(6, '0')).filter((code) => !right.has(code))
    const outcomes = await Promise.all(codes.slice(0, 50).map((code, n) => guess(factors[n % 4]?.id ?? '', code)))
    expect(outcomes.filter(({ body }) => body.error_code === 'mfa_verification_failed')).toHaveLength(10)
    expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(40)
    expect((await guess(factors[4]?.id ?? '', codes.at(-1) ?? '')).status).toBe(429)
    // Even the right code is rejected during this time; other users aren't affected.
    expect((await guess(factors[0]?.id ?? '', codeOf(factors[0]?.secret ?? ''))).status).toBe(429)
    const other = await member()
    const { data } = await other.client.auth.mfa.enroll({ factorType: 'totp' })
    const answer = { factorId: data?.id ?? '', code: codeOf(data?.totp.secret ?? '') }
    expect((await other.client.auth.mfa.challengeAndVerify(answer)).error).toBeNull()
  })

  test('of a phone allow ten guesses in five minutes, however many codes are sent', async () => {
    const { client, token } = await member()
    const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+15559876', friendlyName: 'p' })
    const statuses: unknown[] = []
    for (let n = 0; n < 15; n++) {
      auth.clock.advance(2)
      const { body } = await post(`/factors/${data?.id}/challenge`, {}, token)
      const sent = services.requests.at(-1)?.form.text ?? ''
      const code = sent.includes('000000') ? '111111' : '000000'
      const { body: told } = await post(`/factors/${data?.id}/verify`, { challenge_id: body.id, code }, token)
      statuses.push(told.error_code)
    }
    expect(statuses).toEqual([
      ...Array(10).fill('mfa_verification_failed'),
      ...Array(5).fill('over_request_rate_limit'),
    ])
  })
})

describe('of many concurrent requests', () => {
  test("one gets a session for a link's code (PKCE)", async () => {
    const { email } = await member()
    const verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    await post('/otp', { email, code_challenge, code_challenge_method: 's256' })
    const opened = await fetch(linkIn(auth.mailTo(email)), { redirect: 'manual' })
    const auth_code = new URL(opened.headers.get('location') ?? '').searchParams.get('code')
    const exchange = (code_verifier: string) => post('/token?grant_type=pkce', { auth_code, code_verifier })
    const wrong = await Promise.all(Array.from({ length: 10 }, () => exchange('w'.repeat(43))))
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]))
    const all = await Promise.all(Array.from({ length: 20 }, () => exchange(verifier)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status >= 500)).toEqual([])
  })

  test("all refreshes return the same next token, and the family doesn't branch", async () => {
    const { refresh } = await member()
    const use = (refresh_token: string) => post('/token?grant_type=refresh_token', { refresh_token })
    const first = await Promise.all(Array.from({ length: 20 }, () => use(refresh)))
    expect(new Set(first.map(({ status, body }) => `${status} ${body.refresh_token}`)).size).toBe(1)
    const second = String(first[0]?.body.refresh_token)
    const third = await Promise.all([...Array(10).fill(second), ...Array(10).fill(refresh)].map(use))
    expect(third.filter(({ status }) => status >= 500)).toEqual([])
    const fourth = await use(String(third.find(({ status }) => status === 200)?.body.refresh_token))
    third.push(fourth, await use(String(fourth.body.refresh_token)))
    auth.clock.advance(3600)
    // Much later, reusing an old token revokes its whole family.
    expect((await use(refresh)).body).toMatchObject({ error_code: 'refresh_token_already_used' })
    for (const { body } of third.filter(({ status }) => status === 200))
      expect((await use(String(body.refresh_token))).status).toBe(400)
  })

  test('one uses an email link or its code', async () => {
    const { email } = await member()
    await post('/otp', { email })
    const link = linkIn(auth.mailTo(email))
    const token = new URL(link).searchParams.get('token') ?? ''
    const [code] = /\b\d{6}\b/.exec(auth.mailTo(email).html) ?? []
    expect(code).toBeDefined()
    const ways = [
      async () => (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '',
      async () => JSON.stringify((await post('/verify', { type: 'magiclink', token_hash: token })).body),
      async () => JSON.stringify((await post('/verify', { type: 'magiclink', email, token: code })).body),
    ]
    const told = await Promise.all(Array.from({ length: 30 }, (_, n) => ways[n % 3]?.() ?? ''))
    expect(told.filter((answer) => answer.includes('access_token'))).toHaveLength(1)
    expect(told.filter((answer) => /unexpected/.test(answer))).toEqual([])
  })

  test('one sends the code of a second factor', async () => {
    const { client, token } = await member()
    const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+15557777', friendlyName: 'p' })
    const told = await Promise.all(Array.from({ length: 12 }, () => post(`/factors/${data?.id}/challenge`, {}, token)))
    expect(told.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(429)])
  })

  test.each(['/otp', '/recover'])('%s sends one message', async (path) => {
    const { email } = await member()
    const told = await Promise.all(Array.from({ length: 20 }, () => post(path, { email })))
    expect(told.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(429)])
  })
})

test('forwarded client addresses change no limit', async () => {
  const ask = (headers: Record<string, string>) =>
    auth.handle(
      new Request(`${auth.url}/auth/v1/otp`, {
        method: 'POST',
        body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com` }),
        headers,
      }),
      { requestId: 'test', address: '192.0.2.1' },
    )
  const told = []
  for (let n = 0; n < 40; n++) {
    const name = [
      'x-forwarded-for',
      'x-real-ip',
      'forwarded',
      'cf-connecting-ip',
      'true-client-ip',
      'sb-forwarded-for',
    ][n % 6]
    told.push((await ask({ [String(name)]: n % 2 ? '127.0.0.1' : `198.51.100.${n}` })).status)
  }
  expect(told.filter((status) => status === 429)).toHaveLength(10)
  const { rows } = await auth.db.query<{ ip: string }>({
    text: `select distinct ip_address as ip from auth.audit_log_entries where ip_address <> ''`,
    values: [],
  })
  for (const { ip } of rows) expect(['127.0.0.1', '192.0.2.1', '::ffff:127.0.0.1']).toContain(ip)
})
