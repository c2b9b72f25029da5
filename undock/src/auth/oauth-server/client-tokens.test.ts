import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { authRoutes } from '../routes.ts'

const SETTINGS = `
[auth]
site_url = "http://localhost:3000"
enable_manual_linking = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.oauth_server]
enabled = true
`

const WITHOUT_CLAIM = `
create function public.without_client(event jsonb) returns jsonb language sql as
  $$ select jsonb_build_object('claims', (event->'claims') - 'client_id') $$;
grant execute on function public.without_client to supabase_auth_admin;
`

const REDIRECT = 'http://localhost:9999/callback'
const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const REFUSED = { error_code: 'no_authorization', msg: expect.stringContaining('OAuth client') }

let auth: TestAuth
let plain: TestAuth
let hooked: TestAuth
beforeAll(async () => {
  plain = await startTestAuth(SETTINGS)
  hooked = await startTestAuth(
    `${SETTINGS}[auth.hook.custom_access_token]\nenabled = true\nuri = "pg-functions://postgres/public/without_client"\n`,
    WITHOUT_CLAIM,
  )
  auth = plain
})
afterAll(() => Promise.all([plain.close(), hooked.close()]))

async function asked(clientId: string, scope: string): Promise<string> {
  const params = { client_id: clientId, redirect_uri: REDIRECT, scope, code_challenge: CHALLENGE }
  const url = `${auth.url}/auth/v1/oauth/authorize?${new URLSearchParams({ ...params, code_challenge_method: 'S256' })}`
  const response = await fetch(url, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '').searchParams.get('authorization_id') ?? ''
}

async function newApp(): Promise<string> {
  const { data, error } = await auth.client({ secret: true }).auth.admin.oauth.createClient({
    client_name: 'App',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
  })
  if (error) throw error
  return data?.client_id ?? ''
}

/** Creates a user who granted an app the scope `email`. @returns the user's client and the app's access token */
async function userOfApp() {
  const client = auth.client()
  await client.auth.signUp({ email: `${crypto.randomUUID()}@example.com`, password: 'correct horse' })
  const app = await newApp()
  const id = await asked(app, 'email')
  await client.auth.oauth.getAuthorizationDetails(id)
  const { data } = await client.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })
  const code = new URL(data?.redirect_url ?? '').searchParams.get('code') ?? ''
  const exchange = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, client_id: app }
  const answer = await fetch(`${auth.url}/auth/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(exchange),
  })
  const tokens = (await answer.json()) as { access_token: string; refresh_token: string }
  return { client, app, ...tokens }
}

async function call(token: string, method: string, path: string, body: object = {}) {
  const response = await fetch(`${auth.url}/auth/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) }
}

describe.each([
  ['a token', () => plain],
  ['a token whose client_id a hook removed', () => hooked],
])('%s of an OAuth app', (_name, of) => {
  beforeAll(() => {
    auth = of()
  })

  test("can't call the account's routes", async () => {
    const { access_token: token } = await userOfApp()
    const routes = authRoutes.filter(({ access }) => access === 'user' || access === 'member')
    expect(routes.length).toBeGreaterThan(20)
    for (const { method, path } of routes) {
      const answer = await call(token, method, path.replaceAll(/\{\w+\}/g, crypto.randomUUID()))
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, expect.objectContaining(REFUSED)])
    }
  })

  test("can't approve or read another app's authorization", async () => {
    const { client, access_token: token } = await userOfApp()
    const other = await newApp()
    const id = await asked(other, 'openid email profile phone')
    expect(await call(token, 'GET', `/oauth/authorizations/${id}`)).toMatchObject({ status: 403, body: REFUSED })
    await client.auth.oauth.getAuthorizationDetails(id)
    const consent = await call(token, 'POST', `/oauth/authorizations/${id}/consent`, { action: 'approve' })
    expect(consent).toMatchObject({ status: 403, body: REFUSED })
    const { data } = await client.auth.oauth.listGrants()
    expect(data?.map((grant) => grant.client.id)).not.toContain(other)
  })

  test("can't change the user with the official client", async () => {
    const { client, access_token, refresh_token } = await userOfApp()
    const app = auth.client()
    await app.auth.setSession({ access_token, refresh_token })
    const { data: before } = await client.auth.getUser()
    expect((await app.auth.updateUser({ password: 'another horse' })).error).toMatchObject({ status: 403 })
    expect((await app.auth.updateUser({ email: 'mine@example.com' })).error).toMatchObject({ status: 403 })
    expect((await app.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({ status: 403 })
    expect((await client.auth.getUser()).data).toEqual(before)
  })

  test("can't link an identity", async () => {
    const { access_token: token } = await userOfApp()
    const grant = { provider: 'google', id_token: 'x.y.z', link_identity: true }
    expect(await call(token, 'POST', '/token?grant_type=id_token', grant)).toMatchObject({ status: 403, body: REFUSED })
  })

  test('returns the user and signs out only its own session', async () => {
    const { client, access_token: token } = await userOfApp()
    const { data } = await client.auth.getUser()
    expect((await auth.client().auth.getUser(token)).data.user?.id).toBe(data.user?.id)
    expect((await call(token, 'GET', '/oauth/userinfo')).body).toMatchObject({ sub: data.user?.id })
    for (const scope of ['', '?scope=global', '?scope=others'])
      expect(await call(token, 'POST', `/logout${scope}`)).toMatchObject({ status: 403, body: REFUSED })
    expect((await call(token, 'POST', '/logout?scope=local')).status).toBe(204)
    expect((await call(token, 'GET', '/user')).body).toMatchObject({ error_code: 'session_not_found' })
    expect((await client.auth.refreshSession()).error).toBeNull()
  })
})
