import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

const SETTINGS = `
[auth]
site_url = "http://localhost:3000"
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
4152127777 = "123456"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/add_claims"
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/only_example"
[auth.hook.password_verification_attempt]
enabled = true
uri = "pg-functions://postgres/public/judge_password"
`

const FUNCTIONS = `
create function public.add_claims(event jsonb) returns jsonb language plpgsql as $$
begin
  if event -> 'claims' ->> 'email' like 'broken%' then return jsonb_build_object('claims', '{"sub":"x"}'::jsonb); end if;
  return jsonb_set(event, '{claims,plan}', '"pro"') || jsonb_build_object('seen', current_user);
end $$;
create function public.only_example(event jsonb) returns jsonb language plpgsql as $$
begin
  if event -> 'user' ->> 'email' like '%@example.com' or event -> 'user' ->> 'phone' <> '' then return '{}'; end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Only example.com may sign up'));
end $$;
create function public.judge_password(event jsonb) returns jsonb language plpgsql as $$
begin
  if (event ->> 'valid')::boolean then return '{"decision":"continue"}'; end if;
  return '{"decision":"reject","message":"Too many guesses"}';
end $$;
grant execute on all functions in schema public to supabase_auth_admin;
grant usage on schema public to supabase_auth_admin;
`

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS, FUNCTIONS)
})
afterAll(() => auth.close())

const password = 'correct horse'

describe('Postgres function hooks', () => {
  test('custom_access_token adds claims', async () => {
    const { data, error } = await auth.client().auth.signUp({ email: 'claims@example.com', password })
    expect(error).toBeNull()
    expect((await auth.identity.verify(data.session?.access_token ?? '')).claims).toMatchObject({
      plan: 'pro',
      aal: 'aal1',
    })
  })

  test('rejects claims that lack required ones', async () => {
    const { error } = await auth.client().auth.signUp({ email: 'broken@example.com', password })
    expect(error).toMatchObject({
      status: 500,
      message: expect.stringContaining('output claims do not conform to the expected schema'),
    })
  })

  test('before_user_created rejects unknown users', async () => {
    const { error } = await auth.client().auth.signUp({ email: 'a@elsewhere.test', password })
    expect(error).toMatchObject({ status: 403, message: 'Only example.com may sign up' })
  })

  test('password_verification_attempt rejects with its own message', async () => {
    await auth.client().auth.signUp({ email: 'guess@example.com', password })
    const { error } = await auth.client().auth.signInWithPassword({ email: 'guess@example.com', password: 'wrong one' })
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Too many guesses' })
    expect((await auth.client().auth.signInWithPassword({ email: 'guess@example.com', password })).error).toBeNull()
  })
})

describe('test phone numbers', () => {
  const phone = '4152127777'
  test('sign up and in with their fixed code', async () => {
    const client = auth.client()
    const { data, error } = await client.auth.signUp({ phone: `+${phone}`, password })
    expect(error).toBeNull()
    expect(data).toMatchObject({ session: null, user: { phone, identities: [{ provider: 'phone' }] } })
    expect((await auth.client().auth.signInWithPassword({ phone, password })).error).toMatchObject({
      code: 'phone_not_confirmed',
    })
    expect((await client.auth.verifyOtp({ phone, token: '000000', type: 'sms' })).error).toMatchObject({
      code: 'otp_expired',
    })
    expect((await client.auth.verifyOtp({ phone, token: '123456', type: 'sms' })).data.user).toMatchObject({ phone })
    expect((await auth.client().auth.signInWithPassword({ phone, password })).error).toBeNull()
    auth.clock.advance(10)
    const again = auth.client()
    expect((await again.auth.signInWithOtp({ phone })).data).toMatchObject({ messageId: 'test-otp' })
    expect((await again.auth.verifyOtp({ phone, token: '123456', type: 'sms' })).error).toBeNull()
  })

  test("don't replace an SMS provider for other numbers", async () => {
    expect((await auth.client().auth.signInWithOtp({ phone: '4152128888' })).error).toMatchObject({
      message: 'Unable to get SMS provider',
    })
  })
})

test.each([{ error: 'no' }, { error: ['no'] }, { error: { http_code: 403, message: 7 } }, 'yes', 7])(
  'an HTTP before_user_created hook that returns %j creates no account',
  async (answer) => {
    const own = await startTestAuth(
      '[auth.hook.before_user_created]\nenabled = true\nuri = "https://hooks.test/new"\nsecrets = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n',
      '',
      { fetch: async () => Response.json(answer) },
    )
    try {
      const { error } = await own.client().auth.signUp({ email: 'new@example.com', password })
      expect(error).toMatchObject({ status: 500, message: 'Error unmarshaling JSON output.' })
      expect((await own.db.query({ text: 'select from auth.users', values: [] })).rows).toEqual([])
    } finally {
      await own.close()
    }
  },
)

test('an HTTP send_email hook replaces the email', async () => {
  const received: { headers: Record<string, unknown>; body: { email_data: Record<string, string> } }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(text) })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own = await startTestAuth(`
[auth.email]
enable_confirmations = true
[auth.hook.send_email]
enabled = true
uri = "http://127.0.0.1:${port}/hook"
secrets = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
`)
  try {
    expect((await own.client().auth.signUp({ email: 'hook@example.com', password })).error).toBeNull()
    expect(own.mails).toEqual([])
    expect(received).toHaveLength(1)
    expect(received[0]?.headers).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1,/),
      'webhook-id': expect.any(String),
    })
    const { email_data } = received[0]?.body ?? { email_data: {} }
    expect(email_data).toMatchObject({ email_action_type: 'signup', token: expect.stringMatching(/^\d{6}$/) })
    const { error } = await own.client().auth.verifyOtp({ token_hash: email_data.token_hash ?? '', type: 'email' })
    expect(error).toBeNull()
  } finally {
    await own.close()
    await new Promise((resolve) => server.close(resolve))
  }
})

test.each([
  ['a sign-up', (own: TestAuth) => own.client().auth.signUp({ email: 'lost@example.com', password })],
  ['a magic link', (own: TestAuth) => own.client().auth.signInWithOtp({ email: 'lost@example.com' })],
  ['an invitation', (own: TestAuth) => own.client({ secret: true }).auth.admin.inviteUserByEmail('lost@example.com')],
])('a failed HTTP send_email hook leaves no account: %s', async (_name, act) => {
  const own = await startTestAuth(
    `[auth.email]
enable_confirmations = true
[auth.hook.send_email]
enabled = true
uri = "https://hooks.test/mail"
secrets = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
`,
    '',
    { fetch: async () => Response.json({ error: { http_code: 418, message: 'No mail today' } }) },
  )
  try {
    expect((await act(own)).error).toMatchObject({ status: 418, message: 'No mail today' })
    const { rows } = await own.db.query({ text: 'select email from auth.users', values: [] })
    expect(rows).toEqual([])
  } finally {
    await own.close()
  }
})
