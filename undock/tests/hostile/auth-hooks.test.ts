// Misbehaving hooks: endpoints that are slow, endless, lie about their type or call Auth again, and Postgres functions that raise or
// return something else.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../src/testing/auth.ts'

const password = 'correct horse'
const SECRET = 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

const json =
  (body: unknown, status = 200): Answer =>
  (_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** Returns the claims unchanged. */
const same: Answer = (_request, response, body) => json({ claims: JSON.parse(body).claims })(_request, response, body)

let answers: Record<string, Answer> = {}
let asked: string[] = []
let url: string
let auth: TestAuth
let close: () => Promise<unknown>
const newAddress = () => `${crypto.randomUUID()}@example.com`
const signUp = (email = newAddress()) => auth.client().auth.signUp({ email, password })

async function accounts(): Promise<number> {
  const { rows } = await auth.db.query<{ count: string }>({ text: 'select count(*) from auth.users', values: [] })
  return Number(rows[0]?.count)
}

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    await (answers[path] ?? (path === '/token' ? same : json({})))(request, response, Buffer.concat(chunks).toString())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const hook = (name: string, path: string) =>
    `[auth.hook.${name}]\nenabled = true\nuri = "${url}${path}"\nsecrets = "${SECRET}"\n`
  auth = await startTestAuth(hook('before_user_created', '/created') + hook('custom_access_token', '/token'))
  close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
})
afterAll(async () => {
  await auth.close()
  await close()
})
afterEach(() => {
  answers = {}
  asked = []
})

describe('a before_user_created endpoint', () => {
  test.each<[string, Answer, number]>([
    ['returns an error of the wrong shape', json({ error: 'no' }), 500],
    ['returns a number as error message', json({ error: { http_code: 403, message: 7 } }), 500],
    ['returns errors in a list', json({ error: [{ message: 'no' }] }), 500],
    ['rejects with an invalid status', json({ error: { http_code: 99_999, message: 'no' } }), 500],
    ['rejects with a string as status', json({ error: { http_code: '403', message: 'no' } }), 500],
    ['rejects', json({ error: { http_code: 403, message: 'no' } }), 403],
    ['returns a list', json([]), 500],
    ['returns a string', json('"yes"'), 500],
    ['returns truncated JSON', json('{"decision":'), 500],
    ['returns a deeply nested list', json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 500],
    ['returns HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}'), 400],
    ['returns no content type', (_, response) => response.writeHead(200).end('{}'), 400],
    [
      'returns a compression bomb',
      (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
          .end(brotliCompressSync(Buffer.alloc(8 * 1024 * 1024, 0x20))),
      422,
    ],
    [
      'sends less than its Content-Length',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{}')
        response.destroy()
      },
      422,
    ],
    ['redirects to itself', (_, response) => response.writeHead(307, { location: '/created' }).end(), 422],
    ['redirects to a file', (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(), 422],
  ])('that %s creates no account', async (_name, answer, status) => {
    answers['/created'] = answer
    const before = await accounts()
    const { error } = await signUp()
    expect(error).toMatchObject({ status })
    expect(await accounts()).toBe(before)
  })

  test("that doesn't respond creates no account and times out after five seconds", async () => {
    answers['/created'] = () => undefined
    expect((await signUp()).error).toMatchObject({ status: 422, code: 'hook_timeout' })
  })

  test("that triggers itself by signing up another account doesn't loop forever", async () => {
    let depth = 0
    answers['/created'] = async (...told) => {
      depth += 1
      if (depth < 40) await signUp()
      return json({})(...told)
    }
    const { error } = await signUp()
    // Either all calls finish within the first one's time, or it is aborted.
    expect([undefined, 'hook_timeout']).toContain(error?.code)
    expect(depth).toBeGreaterThan(1)
  })
})

describe('a custom_access_token endpoint', () => {
  const claimsOf = async (change: object) => {
    answers['/token'] = (_request, response, body) =>
      json({ claims: { ...JSON.parse(body).claims, ...change } })(_request, response, body)
    return signUp()
  }

  test.each([
    ['no subject', { sub: undefined }],
    ['no session', { session_id: null }],
    ['a string as expiry', { exp: 'never' }],
    ['a fractional expiry', { exp: 1.5 }],
    ['an expiry out of range', { exp: 1e300 }],
    ['several roles', { role: ['anon', 'service_role'] }],
    ['a string as metadata', { app_metadata: 'admin' }],
    ['a number as audience', { aud: 7 }],
  ])('that sets %s creates no session', async (_name, change) => {
    const { data, error } = await claimsOf(change)
    expect([error?.status, data.session]).toEqual([500, null])
  })

  test('that grants the service role loses access when the session ends', async () => {
    const { data } = await claimsOf({ role: 'service_role' })
    const token = data.session?.access_token ?? ''
    const list = () =>
      fetch(`${auth.url}/auth/v1/admin/users`, { headers: { authorization: `Bearer ${token}` } }).then((r) => r.status)
    expect(await list()).toBe(200)
    await auth.db.query({ text: 'delete from auth.sessions', values: [] })
    expect(await list()).toBe(403)
  })

  test("that changes the subject doesn't get that user's session", async () => {
    const { data: victim } = await signUp()
    const { data } = await claimsOf({ sub: victim.user?.id })
    const token = data.session?.access_token ?? ''
    // The token follows the project's hook, but its session stays that of the user who signed up.
    const { rows } = await auth.db.query({
      text: 'select user_id from auth.sessions where id = $1',
      values: [(await auth.identity.verify(token)).claims.session_id],
    })
    expect(rows).toEqual([{ user_id: data.user?.id }])
  })

  test('that returns a __proto__ claim pollutes no prototype', async () => {
    answers['/token'] = (_request, response, body) =>
      json(
        `{"claims":${JSON.stringify({ ...JSON.parse(body).claims, x: 1 }).replace('"x":1', '"__proto__":{"role":"service_role"}')}}`,
      )(_request, response, body)
    const { data, error } = await signUp()
    expect(error).toBeNull()
    expect((await auth.identity.verify(data.session?.access_token ?? '')).role).toBe('authenticated')
    expect(({} as { role?: string }).role).toBeUndefined()
  })
})

describe('a Postgres function as a hook', () => {
  const functions = {
    raises: `begin raise exception 'secret of the project'; end`,
    nothing: 'begin return null; end',
    list: `begin return '[]'::jsonb; end`,
    text: `begin return '"x"'::jsonb; end`,
    refuses: `begin return '{"error":"no"}'::jsonb; end`,
    sleeps: 'begin perform pg_sleep(60); return event; end',
    recurses: 'begin return public.recurses(event); end',
    ends: `begin perform set_config('role', 'postgres', false); return '{"claims":{}}'::jsonb; end`,
    huge: `begin return jsonb_build_object('claims', (event->'claims') || jsonb_build_object('x', repeat('x', 5000000))); end`,
  }
  const script = Object.entries(functions).map(
    ([name, body]) =>
      `create function public.${name}(event jsonb) returns jsonb language plpgsql as $f$ ${body}; $f$;
       grant execute on function public.${name} to supabase_auth_admin;`,
  )

  test.each([
    ['before_user_created', 'raises', 500],
    ['before_user_created', 'list', 500],
    ['before_user_created', 'text', 500],
    ['before_user_created', 'refuses', 500],
    ['before_user_created', 'sleeps', 500],
    ['before_user_created', 'recurses', 500],
    ['before_user_created', 'missing', 500],
    ['before_user_created', 'nothing', null],
    ['custom_access_token', 'raises', 500],
    ['custom_access_token', 'nothing', 500],
    ['custom_access_token', 'list', 500],
    ['custom_access_token', 'ends', 500],
    ['custom_access_token', 'huge', null],
    ['password_verification_attempt', 'text', null],
  ])('%s function %s', async (hook, name, status) => {
    const own = await startTestAuth(
      `[auth.hook.${hook}]\nenabled = true\nuri = "pg-functions://postgres/public/${name}"\n`,
      script.join('\n'),
    )
    try {
      const { data, error } = await own.client().auth.signUp({ email: newAddress(), password })
      expect([error?.status ?? null, error?.message ?? '']).toEqual([status, expect.not.stringContaining('secret')])
      const { rows } = await own.db.query({
        text: 'select current_user::text as who, count(*)::int from auth.users',
        values: [],
      })
      // A rejected user has no account, and the database session is unchanged.
      const isAdmitted = status === null || hook === 'custom_access_token'
      expect(rows).toEqual([{ who: expect.stringMatching(/^(postgres|supabase_admin)$/), count: isAdmitted ? 1 : 0 }])
      expect(data.session === null).toBe(status !== null)
    } finally {
      await own.close()
    }
  })
})
