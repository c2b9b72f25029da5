import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth('[auth.sessions]\ntimebox = "48h"\ninactivity_timeout = "8h"\n')
})
afterAll(() => auth.close())

let count = 0

async function signIn() {
  const { data } = await auth.client().auth.signUp({ email: `r${++count}@example.com`, password: 'correct horse' })
  return data.session?.refresh_token ?? ''
}

async function refresh(refresh_token: unknown) {
  const response = await fetch(`${auth.url}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    body: JSON.stringify({ refresh_token }),
  })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown> & { refresh_token: string },
  }
}

describe('a refresh token', () => {
  test('is exchanged for the next one in the same session', async () => {
    const first = await signIn()
    auth.clock.advance(60)
    const { status, body } = await refresh(first)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[a-z2-7]{12}$/),
    })
    expect(body.refresh_token).not.toBe(first)
    const { rows } = await auth.db.query<{ revoked: boolean; parent: string | null }>(
      statement(sql`select revoked, parent from auth.refresh_tokens where session_id =
        (select session_id from auth.refresh_tokens where token = ${first}) order by id`),
    )
    expect(rows).toEqual([
      { revoked: true, parent: null },
      { revoked: false, parent: first },
    ])
    const { claims } = await auth.identity.verify(String(body.access_token))
    expect(claims.amr).toEqual([{ method: 'password', timestamp: expect.any(Number) }])
  })

  test('whose response was lost returns the active token, however late', async () => {
    const first = await signIn()
    const second = await refresh(first)
    auth.clock.advance(3600)
    const again = await refresh(first)
    expect(again.status).toBe(200)
    expect(again.body.refresh_token).toBe(second.body.refresh_token)
  })

  test('can be reused within the reuse interval, for example by tabs that refresh simultaneously', async () => {
    const first = await signIn()
    const second = await refresh(first)
    await refresh(second.body.refresh_token)
    auth.clock.advance(10)
    expect((await refresh(first)).status).toBe(200)
  })

  test('reused after the interval ends the whole family', async () => {
    const first = await signIn()
    const second = await refresh(first)
    const third = await refresh(second.body.refresh_token)
    auth.clock.advance(11)
    const used = { code: 400, error_code: 'refresh_token_already_used', msg: 'Invalid Refresh Token: Already Used' }
    expect((await refresh(first)).body).toEqual(used)
    // Exchanged tokens have no reuse interval.
    expect((await refresh(third.body.refresh_token)).body).toEqual(used)
    auth.clock.advance(11)
    expect((await refresh(third.body.refresh_token)).body).toEqual(used)
    expect((await refresh(second.body.refresh_token)).body).toEqual(used)
  })

  test("of an ended family doesn't restore it, even if exchanged a moment ago", async () => {
    const first = await signIn()
    const second = await refresh(first)
    auth.clock.advance(11)
    const third = await refresh(second.body.refresh_token)
    expect((await refresh(first)).status).toBe(400)
    for (const { body } of [second, third]) expect((await refresh(body.refresh_token)).status).toBe(400)
  })

  test('used twice concurrently returns the same session to both', async () => {
    const first = await signIn()
    const answers = await Promise.all([refresh(first), refresh(first), refresh(first)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
  })

  test.each([
    ['unknown', 'aaaaaaaaaaaa', 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'],
    ['too short', 'abc', 'validation_failed', 'Refresh token is not valid'],
    ['hostile', "x' or 1=1 --", 'validation_failed', 'Refresh token is not valid'],
    ['missing', undefined, 'validation_failed', 'Refresh token is not valid'],
  ])('rejects %s', async (_name, token, error_code, msg) => {
    expect(await refresh(token)).toEqual({ status: 400, body: { code: 400, error_code, msg } })
  })
})

describe('a session ends', () => {
  test('after its inactivity timeout', async () => {
    const token = await signIn()
    auth.clock.advance(8 * 3600 + 1)
    expect((await refresh(token)).body).toMatchObject({
      error_code: 'session_expired',
      msg: 'Invalid Refresh Token: Session Expired (Inactivity)',
    })
  })

  test('after its timebox', async () => {
    let token = await signIn()
    for (let hour = 0; hour < 48; hour += 6) {
      auth.clock.advance(6 * 3600)
      const { status, body } = await refresh(token)
      expect(status).toBe(200)
      token = body.refresh_token
    }
    auth.clock.advance(1)
    expect((await refresh(token)).body).toMatchObject({
      error_code: 'session_expired',
      msg: 'Invalid Refresh Token: Session Expired',
    })
  })
})
