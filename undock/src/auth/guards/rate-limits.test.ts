import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../kernel/service.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { createMemoryBuckets } from './buckets.ts'
import { createRateLimits } from './rate-limits.ts'

const { auth: config } = loadConfig({ toml: 'project_id = "limits"', file: '', env: {}, folder: '/' }).config

let auth: TestAuth
let token: string
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
enable_anonymous_sign_ins = true
[auth.rate_limit]
anonymous_users = 5
token_refresh = 150
token_verifications = 30
sign_in_sign_ups = 60
web3 = 30
[auth.web3.solana]
enabled = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
`)
  const { data } = await auth.client().auth.signUp({ email: 'limited@example.com', password: 'correct horse' })
  token = data.session?.access_token ?? ''
})
afterAll(() => auth.close())

let count = 0
const newAddress = () => `203.0.113.${++count}`

async function ask(method: string, path: string, address: string, headers: Record<string, string> = {}) {
  const request = new Request(`${auth.url}/auth/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(method === 'GET' ? {} : { body: '{}' }),
  })
  return auth.handle(request, { requestId: 'r', address })
}

const REFUSAL = { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' }

// biome-ignore format: a table
test.each([
  ['POST', '/signup',                          5, 720],
  ['POST', '/otp',                            30, 5],
  ['POST', '/magiclink',                      30, 5],
  ['POST', '/recover',                        30, 5],
  ['POST', '/resend',                         30, 5],
  ['PUT',  '/user',                           30, 5],
  ['POST', '/verify',                         30, 10],
  ['GET',  '/verify?type=signup&token=x',     30, 10],
  ['POST', '/token?grant_type=refresh_token', 30, 2],
  ['POST', '/token?grant_type=password',      30, 2],
  ['POST', '/token?grant_type=web3',          30, 10],
  ['POST', '/passkeys/authentication/options', 30, 10],
  ['POST', '/oauth/clients/register',         30, 30],
  ['POST', '/factors/73bf9ee0-9e8c-453b-b484-09cb93e2f341/challenge', 30, 4],
  ['POST', '/factors/73bf9ee0-9e8c-453b-b484-09cb93e2f341/verify',    30, 4],
] as const)('%s %s: %d in a burst, another every %d seconds', async (method, path, burst, pause) => {
  const address = newAddress()
  for (let index = 0; index < burst; index++) expect((await ask(method, path, address)).status).not.toBe(429)
  const refused = await ask(method, path, address)
  expect([refused.status, await refused.json()]).toEqual([429, REFUSAL])
  expect((await ask(method, path, address, { 'x-forwarded-for': '198.51.100.1' })).status).toBe(429)
  expect((await ask(method, path, newAddress())).status).not.toBe(429)
  auth.clock.advance(pause - 1)
  expect((await ask(method, path, address)).status).toBe(429)
  auth.clock.advance(1)
  expect((await ask(method, path, address)).status).not.toBe(429)
  auth.clock.advance(-pause)
})

// biome-ignore format: a table
test.each([
  ['loopback on a developer’s machine', true,  ['127.0.0.1', '::1', '::ffff:127.0.0.1'],      true],
  ['loopback on a node',                false, ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'unknown'], false],
  ['one IPv6 network',               false, ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9', '2001:db8:1:2:3:4:5:6%eth0'], false],
  ['several IPv6 networks',                  false, Array.from({ length: 31 }, (_, index) => `2001:db8:1:${index}::1`), true],
  ['IPv4 in both notations',      false, ['203.0.113.7', '::ffff:203.0.113.7'],          false],
] as const)('%s', async (_name, exempts, addresses, isFree) => {
  const limits = createRateLimits(config, createMemoryBuckets(), systemClock, exempts)
  for (let index = 0; index < 30; index++) await limits.takeRequest('otp', addresses[index % addresses.length] ?? '')
  for (const address of addresses) {
    const taken = limits.takeRequest('otp', address)
    if (isFree) await expect(taken).resolves.toBeUndefined()
    else await expect(taken).rejects.toMatchObject({ code: 'over_request_rate_limit' })
  }
})

test('counts each sign-in method separately', async () => {
  const address = newAddress()
  for (let index = 0; index < 31; index++) await ask('POST', '/otp', address)
  for (const path of ['/recover', '/resend', '/magiclink', '/verify', '/token?grant_type=password', '/signup']) {
    expect((await ask('POST', path, address)).status, path).not.toBe(429)
  }
})

test('counts web3 and the other grants separately', async () => {
  const address = newAddress()
  for (let index = 0; index < 31; index++) await ask('POST', '/token?grant_type=web3', address)
  expect((await ask('POST', '/token?grant_type=refresh_token', address)).status).not.toBe(429)
})

test.each([
  [
    'mails',
    'email_sent = 2',
    '[auth.email.smtp]\nenabled = true\nhost = "mail.test"\nport = 25\nuser = "u"\npass = "p"\nadmin_email = "a@example.com"',
    (index: number) => ({ email: `mail${index}@example.com` }),
    'over_email_send_rate_limit',
  ],
  [
    'messages',
    'sms_sent = 2',
    '[auth.sms.test_otp]\n15550000 = "123456"\n[auth.hook.send_sms]\nenabled = true\nuri = "pg-functions://postgres/public/send"',
    (index: number) => ({ phone: `1555000${index}` }),
    'over_sms_send_rate_limit',
  ],
] as const)('limits %s in total across all callers', async (_name, limit, sender, to, code) => {
  const own = await startTestAuth(
    `[auth.rate_limit]\n${limit}\n[auth.email]\nenable_confirmations = true\n[auth.sms]\nenabled = true\nenable_confirmations = true\n${sender}\n`,
    `create function public.send(event jsonb) returns jsonb language sql as $$ select '{}'::jsonb $$;
     grant usage on schema public to supabase_auth_admin;`,
  )
  try {
    const codes: (string | undefined)[] = []
    for (let index = 1; index <= 3; index++) {
      codes.push((await own.client().auth.signInWithOtp(to(index) as { email: string })).error?.code)
    }
    expect(codes).toEqual([undefined, undefined, code])
    own.clock.advance(1800)
    expect((await own.client().auth.signInWithOtp(to(4) as { email: string })).error).toBeNull()
  } finally {
    await own.close()
  }
})
