import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'

const SETTINGS = `
[auth]
enable_manual_linking = true
[auth.sms]
enabled = true
[auth.sms.test_otp]
15550001 = "123456"
[auth.email.notification.identity_unlinked]
enabled = true
`

let strict: TestAuth
let lenient: TestAuth
beforeAll(async () => {
  strict = await startTestAuth(`${SETTINGS}[auth.email]\nenable_confirmations = true\n`)
  lenient = await startTestAuth(SETTINGS)
})
afterAll(() => Promise.all([strict.close(), lenient.close()]))

let count = 0

async function member(
  auth: TestAuth,
  others: readonly (readonly [provider: string, claims: Record<string, unknown>])[],
) {
  const email = `member${++count}@example.com`
  const password = 'correct horse'
  const { data } = await auth.client({ secret: true }).auth.admin.createUser({ email, password, email_confirm: true })
  const id = data.user?.id ?? ''
  for (const [provider, claims] of others) {
    const sub = `${provider}-${count}`
    await auth.db.query(
      statement(sql`insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
        values (${sub}, ${id}, ${{ sub, ...claims }}, ${provider}, clock_timestamp(), now())`),
    )
  }
  const client = auth.client()
  await client.auth.signInWithPassword({ email, password })
  return { client, email, id }
}

async function unlink(client: SupabaseClient, provider: string) {
  const { data } = await client.auth.getUserIdentities()
  const identity = data?.identities.find((one) => one.provider === provider)
  if (!identity) throw new Error(`no identity of ${provider}`)
  return client.auth.unlinkIdentity(identity)
}

describe("removing the identity of the account's address", () => {
  test.each([
    ['switches to an unverified address that needs confirmation', 'strict', { email_verified: false }, false],
    ['switches to an address of unknown state that needs confirmation', 'strict', {}, false],
    ['switches to a verified address', 'strict', { email_verified: true }, true],
    ['confirms an unverified address if confirmations are off', 'lenient', { email_verified: false }, true],
    ['confirms an address of unknown state if confirmations are off', 'lenient', {}, true],
  ] as const)('%s', async (_name, which, verified, staysConfirmed) => {
    const auth = { strict, lenient }[which]
    const next = `other${count}@example.com`
    const { client, email, id } = await member(auth, [['google', { email: next, ...verified }]])
    expect((await unlink(client, 'email')).error).toBeNull()
    const { data } = await auth.client({ secret: true }).auth.admin.getUserById(id)
    expect(data.user).toMatchObject({
      email: next,
      identities: [{ provider: 'google' }],
      app_metadata: { provider: 'google', providers: ['google'] },
      ...(staysConfirmed ? {} : { user_metadata: { email_verified: false } }),
    })
    expect([data.user?.email_confirmed_at !== undefined, data.user?.confirmed_at !== undefined]).toEqual([
      staysConfirmed,
      staysConfirmed,
    ])
    expect(auth.mailTo(email).html).toContain('email')
    expect(() => auth.mailTo(next)).toThrow()
  })

  test('prefers a verified address to an older unverified one', async () => {
    const { client } = await member(strict, [
      ['google', { email: 'unverified@example.com', email_verified: false }],
      ['github', { email: 'verified@example.com', email_verified: true }],
    ])
    await unlink(client, 'email')
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: 'verified@example.com',
      email_confirmed_at: expect.any(String),
    })
  })
})

describe('an account with phone number and address', () => {
  async function withBoth() {
    const { client, email, id } = await member(lenient, [])
    const phone = `1555${String(count).padStart(4, '0')}9`
    await lenient.client({ secret: true }).auth.admin.updateUserById(id, { phone, phone_confirm: true })
    return { client, email, id, phone }
  }

  test('removes the number with its identity', async () => {
    const { client, email } = await withBoth()
    expect((await unlink(client, 'phone')).error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ email, phone: '', identities: [{ provider: 'email' }] })
    expect(data.user).not.toHaveProperty('phone_confirmed_at')
    expect(data.user?.confirmed_at).toEqual(expect.any(String))
  })

  test('removes the address with its identity, but keeps the last identity', async () => {
    const { client, phone, id } = await withBoth()
    expect((await unlink(client, 'email')).error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ email: '', phone, identities: [{ provider: 'phone' }] })
    expect(data.user).not.toHaveProperty('email_confirmed_at')
    expect((await unlink(client, 'phone')).error).toMatchObject({
      status: 422,
      code: 'single_identity_not_deletable',
      message: 'User must have at least 1 identity after unlinking',
    })
    const { rows } = await lenient.db.query(
      statement(sql`select payload ->> 'log_type' as kind, payload -> 'traits' ->> 'provider' as provider, ip_address
        from auth.audit_log_entries where payload ->> 'action' = 'identity_unlinked' and payload ->> 'actor_id' = ${id}`),
    )
    expect(rows).toEqual([{ kind: 'user', provider: 'email', ip_address: '127.0.0.1' }])
  })

  test("another user's identity is not found", async () => {
    const { client } = await withBoth()
    const { client: other } = await withBoth()
    const { data } = await other.auth.getUserIdentities()
    const [foreign] = data?.identities ?? []
    if (!foreign) throw new Error('no identity')
    expect((await client.auth.unlinkIdentity(foreign)).error).toMatchObject({
      status: 422,
      code: 'identity_not_found',
      message: "Identity doesn't exist",
    })
  })
})
