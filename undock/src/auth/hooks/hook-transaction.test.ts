import { generateSync } from 'otplib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

const hook = (name: string) => `[auth.hook.${name}]\nenabled = true\nuri = "pg-functions://postgres/public/${name}"\n`

const SETTINGS = `
[auth]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
[auth.sms]
enabled = true
enable_confirmations = true
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
${['custom_access_token', 'send_email', 'send_sms', 'before_user_created', 'mfa_verification_attempt'].map(hook).join('')}`

// Hooks log their input and what they see; \`fails\` names the failing hook, \`judgement\` answers the attempt hooks.
const SCRIPT = `
create table public.settings (fails text not null, judgement jsonb);
insert into public.settings values ('', '{"decision": "continue"}');
create table public.jobs (hook text, payload jsonb);
create function public.note(name text, event jsonb) returns void language plpgsql as $$
begin
  insert into public.jobs values (name, event);
  if (select fails from public.settings) = name then raise exception 'not today'; end if;
end $$;
create function public.custom_access_token(event jsonb) returns jsonb language plpgsql as $$
declare own auth.sessions;
begin
  perform public.note('custom_access_token', event);
  select * into own from auth.sessions where id = (event -> 'claims' ->> 'session_id')::uuid;
  return jsonb_set(event, '{claims,seen}', jsonb_build_object(
    'session', own.id is not null,
    'aal', own.aal,
    'tokens', (select count(*) from auth.refresh_tokens where session_id = own.id and not revoked),
    'amr', (select jsonb_agg(authentication_method order by created_at) from auth.mfa_amr_claims where session_id = own.id)));
end $$;
create function public.send_email(event jsonb) returns jsonb language plpgsql as $$
begin
  perform public.note('send_email', event || jsonb_build_object('stored', exists (select from auth.one_time_tokens
    where token_hash = event -> 'email_data' ->> 'token_hash')));
  return '{}';
end $$;
create function public.send_sms(event jsonb) returns jsonb language plpgsql as $$
begin
  perform public.note('send_sms', event);
  return event;
end $$;
create function public.before_user_created(event jsonb) returns jsonb language plpgsql as $$
begin
  perform public.note('before_user_created', event);
  if event -> 'user' ->> 'email' like 'stranger%' then
    return '{"error": {"http_code": 403, "message": "No strangers"}}';
  end if;
  return '{}';
end $$;
create function public.mfa_verification_attempt(event jsonb) returns jsonb language plpgsql as $$
begin
  perform public.note('mfa_verification_attempt', event);
  return (select judgement from public.settings);
end $$;
grant all on all tables in schema public to supabase_auth_admin;
grant execute on all functions in schema public to supabase_auth_admin;
grant usage on schema public to supabase_auth_admin;
`

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS, SCRIPT)
})
afterAll(() => auth.close())
beforeEach(() => failing(''))

const password = 'correct horse'
let count = 0
const newAddress = () => `hooked${++count}@example.com`

const failing = (name: string) => auth.db.query(statement(sql`update public.settings set fails = ${name}`))
const judging = (judgement: object) =>
  auth.db.query(statement(sql`update public.settings set judgement = ${judgement}`))
const number = async (text: ReturnType<typeof sql>) =>
  Number((await auth.db.query(statement(sql`select (${text}) as n`))).rows[0]?.n)

type Job = {
  readonly user: { readonly id: string }
  readonly email_data: Record<string, string>
  readonly sms: { otp: string }
}

async function lastJob(name: string): Promise<Job & { readonly stored: boolean }> {
  const { rows } = await auth.db.query<{ payload: Job & { stored: boolean } }>(
    statement(sql`select payload from public.jobs where hook = ${name}
      order by payload -> 'metadata' ->> 'time' desc, ctid desc limit 1`),
  )
  if (!rows[0]) throw new Error(`${name} was not asked`)
  return rows[0].payload
}

const post = (path: string, body: object) =>
  fetch(`${auth.url}/auth/v1${path}`, { method: 'POST', body: JSON.stringify(body) })

async function member() {
  const email = newAddress()
  const { data } = await auth.client({ secret: true }).auth.admin.createUser({ email, password, email_confirm: true })
  auth.clock.advance(2)
  return { email, id: data.user?.id ?? '' }
}

const seenIn = async (token: string | undefined) => (await auth.identity.verify(token ?? '')).claims.seen
const NOT_TODAY = {
  status: 500,
  message: expect.stringContaining('Error running hook URI: pg-functions://postgres/public/'),
}

describe('custom_access_token sees the rows written by the flow', () => {
  test('signing in and refreshing', async () => {
    const { email } = await member()
    const client = auth.client()
    const { data } = await client.auth.signInWithPassword({ email, password })
    expect(await seenIn(data.session?.access_token)).toEqual({
      session: true,
      aal: 'aal1',
      tokens: 1,
      amr: ['password'],
    })
    const refreshed = await client.auth.refreshSession()
    expect(await seenIn(refreshed.data.session?.access_token)).toMatchObject({ session: true, tokens: 1 })
  })

  test('many concurrent sign-ins', async () => {
    const people = await Promise.all([1, 2, 3].map(member))
    const opened = await Promise.all(
      people.flatMap(({ email }) => [1, 2, 3].map(() => auth.client().auth.signInWithPassword({ email, password }))),
    )
    expect(opened.map(({ error }) => error)).toEqual(Array(9).fill(null))
    const refreshed = await Promise.all(
      opened.map(({ data }) => post('/token?grant_type=refresh_token', { refresh_token: data.session?.refresh_token })),
    )
    expect(refreshed.map(({ status }) => status)).toEqual(Array(9).fill(200))
  })

  test('verifying a second factor', async () => {
    const { client, id, secret } = await enrolled()
    const code = generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
    const { data } = await client.auth.mfa.challengeAndVerify({ factorId: id, code })
    expect(await seenIn(data?.access_token)).toEqual({
      session: true,
      aal: 'aal2',
      tokens: 1,
      amr: expect.arrayContaining(['password', 'totp']),
    })
  })
})

async function enrolled() {
  const { email } = await member()
  const client = auth.client()
  await client.auth.signInWithPassword({ email, password })
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  if (data?.type !== 'totp') throw new Error('no factor')
  return { client, id: data.id, secret: data.totp.secret }
}

describe('a failing custom_access_token hook rolls back', () => {
  test('an anonymous sign-up', async () => {
    const before = await number(sql`select count(*) from auth.users`)
    await failing('custom_access_token')
    expect((await auth.client().auth.signInAnonymously()).error).toMatchObject(NOT_TODAY)
    expect(await number(sql`select count(*) from auth.users`)).toBe(before)
  })

  test('a sign-in by password', async () => {
    const { email, id } = await member()
    await failing('custom_access_token')
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toMatchObject(NOT_TODAY)
    expect(await number(sql`select count(*) from auth.sessions where user_id = ${id}`)).toBe(0)
    expect(await number(sql`select count(*) from auth.audit_log_entries where payload ->> 'actor_id' = ${id}`)).toBe(0)
  })

  test('the use of a code, link or PKCE code, which stays valid', async () => {
    const { email } = await member()
    const verifier = 'v'.repeat(43)
    await post('/otp', { email, code_challenge: verifier, code_challenge_method: 'plain' })
    const { token, token_hash } = (await lastJob('send_email')).email_data
    await failing('custom_access_token')
    expect((await post('/verify', { type: 'email', email, token })).status).toBe(500)
    const link = `${auth.url}/auth/v1/verify?type=magiclink&token=${token_hash}`
    const opened = await fetch(link, { redirect: 'manual' })
    const auth_code = new URL(opened.headers.get('location') ?? '').searchParams.get('code')
    const exchange = { auth_code, code_verifier: verifier }
    expect((await post('/token?grant_type=pkce', exchange)).status).toBe(500)
    await failing('')
    expect((await post('/token?grant_type=pkce', exchange)).status).toBe(200)
  })

  test('a refresh, and the token stays valid', async () => {
    const { email } = await member()
    const client = auth.client()
    const { data } = await client.auth.signInWithPassword({ email, password })
    const refresh_token = data.session?.refresh_token ?? ''
    await failing('custom_access_token')
    const answer = await post('/token?grant_type=refresh_token', { refresh_token })
    expect([answer.status, await answer.json()]).toEqual([500, { code: 'P0001', message: 'not today' }])
    expect(
      await number(sql`select count(*) from auth.refresh_tokens where token = ${refresh_token} and not revoked`),
    ).toBe(1)
  })

  test('the response to a challenge, which can be repeated', async () => {
    const { client, id, secret } = await enrolled()
    const challengeId = (await client.auth.mfa.challenge({ factorId: id })).data?.id ?? ''
    const code = generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
    await failing('custom_access_token')
    expect((await client.auth.mfa.verify({ factorId: id, challengeId, code })).error).toMatchObject(NOT_TODAY)
    expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id, status: 'unverified' }])
    await failing('')
    expect((await client.auth.mfa.verify({ factorId: id, challengeId, code })).error).toBeNull()
  })
})

describe('send_email and send_sms run in the transaction of the flow', () => {
  test('they see the stored code, and their writes are committed', async () => {
    const email = newAddress()
    expect((await auth.client().auth.signUp({ email, password })).error).toBeNull()
    const told = await lastJob('send_email')
    expect(told).toMatchObject({ stored: true, user: { email }, email_data: { email_action_type: 'signup' } })
    const token = told.email_data.token ?? ''
    expect((await auth.client().auth.verifyOtp({ email, token, type: 'signup' })).error).toBeNull()
    const phone = '15550100'
    expect((await auth.client().auth.signInWithOtp({ phone })).error).toBeNull()
    const { otp } = (await lastJob('send_sms')).sms
    expect((await auth.client().auth.verifyOtp({ phone, token: otp, type: 'sms' })).error).toBeNull()
  })

  test.each([
    ['send_email', 'a sign-up', () => auth.client().auth.signUp({ email: 'late@example.com', password })],
    ['send_email', 'a magic link', () => auth.client().auth.signInWithOtp({ email: 'late@example.com' })],
    [
      'send_email',
      'an invitation',
      () => auth.client({ secret: true }).auth.admin.inviteUserByEmail('late@example.com'),
    ],
    ['send_sms', 'a sign-up by phone', () => auth.client().auth.signUp({ phone: '15550101', password })],
    ['send_sms', 'a code by phone', () => auth.client().auth.signInWithOtp({ phone: '15550101' })],
  ] as const)('a failing %s leaves no account: %s', async (name, _case, act) => {
    const before = await number(sql`select count(*) from auth.users`)
    await failing(name)
    expect((await act()).error).toMatchObject(NOT_TODAY)
    expect(await number(sql`select count(*) from auth.users`)).toBe(before)
    expect(await number(sql`select count(*) from auth.one_time_tokens where relates_to like 'late%'`)).toBe(0)
  })

  test.each([
    ['send_email', 'recovery', { email: 'changed@example.com' }],
    ['send_sms', 'change of number', { phone: '15550102' }],
  ] as const)('a failing %s leaves the account unchanged: %s', async (name, _case, update) => {
    const { email, id } = await member()
    const client = auth.client()
    await client.auth.signInWithPassword({ email, password })
    await failing(name)
    expect((await client.auth.updateUser({ ...update, data: { half: 'done' } })).error).toMatchObject(NOT_TODAY)
    const { data } = await auth.client({ secret: true }).auth.admin.getUserById(id)
    expect(data.user?.user_metadata).not.toHaveProperty('half')
    expect(data.user).not.toHaveProperty('new_email')
    expect(data.user).not.toHaveProperty('new_phone')
  })
})

test.each([
  ['a sign-up', (email: string) => auth.client().auth.signUp({ email, password })],
  ['a magic link', (email: string) => auth.client().auth.signInWithOtp({ email })],
  ['an invitation', (email: string) => auth.client({ secret: true }).auth.admin.inviteUserByEmail(email)],
  ['a link', (email: string) => auth.client({ secret: true }).auth.admin.generateLink({ type: 'magiclink', email })],
])('before_user_created rejects users at %s', async (_name, act) => {
  const email = `stranger${++count}@example.com`
  expect((await act(email)).error).toMatchObject({ status: 403, message: 'No strangers' })
  expect(await number(sql`select count(*) from auth.users where email = ${email}`)).toBe(0)
})

describe('mfa_verification_attempt', () => {
  async function attempt() {
    const { client, id, secret } = await enrolled()
    const code = generateSync({ secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
    return { client, id, ...(await client.auth.mfa.challengeAndVerify({ factorId: id, code })) }
  }

  test('receives the factor and whether the code was right', async () => {
    const { id, error } = await attempt()
    expect(error).toBeNull()
    expect(await lastJob('mfa_verification_attempt')).toMatchObject({ factor_id: id, factor_type: 'totp', valid: true })
  })

  test('rejects the attempt if it fails', async () => {
    await failing('mfa_verification_attempt')
    expect((await attempt()).error).toMatchObject(NOT_TODAY)
  })

  test('ends every session if it rejects', async () => {
    await judging({ decision: 'reject', message: 'authentication attempt rejected' })
    const { client, error } = await attempt()
    await judging({ decision: 'continue' })
    expect(error).toMatchObject({
      status: 403,
      code: 'mfa_verification_rejected',
      message: 'authentication attempt rejected',
    })
    expect((await client.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
  })
})
