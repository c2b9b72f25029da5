import type { SupabaseClient } from '@supabase/supabase-js'
import { Refusal } from '../_shared/http.ts'
import { invite } from './invitation.ts'

const MADE = { id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001', token: 't0ken', expires_at: '2026-01-08T00:00:00Z' }
const WISH = {
  library: MADE.id,
  email: 'new@example.org',
  role: 'reader',
  site: 'https://carrel.example/l/1?x#y',
} as const

const client = (shape: object) => shape as unknown as SupabaseClient
type Asked = [what: string, ...parameters: unknown[]][]

function deps(asked: Asked, invited: object | null, linked: object | null = null, refusal: object | null = null) {
  return {
    caller: client({
      rpc: (...call: unknown[]) => {
        asked.push(['rpc', ...call])
        return { data: refusal ? null : MADE, error: refusal }
      },
    }),
    service: client({
      auth: {
        admin: {
          inviteUserByEmail: (...call: unknown[]) => {
            asked.push(['invite', ...call])
            return { error: invited }
          },
        },
      },
    }),
    visitor: client({
      auth: {
        signInWithOtp: (...call: unknown[]) => {
          asked.push(['link', ...call])
          return { error: linked }
        },
      },
    }),
  }
}

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

const BACK = 'https://carrel.example/auth/callback?next=%2Finvite%2Ft0ken'

Deno.test('a new address is invited, and its link leads to the invitation', async () => {
  const asked: Asked = []
  assertEquals(await invite(WISH, deps(asked, null)), { ...MADE, mailed: true })
  assertEquals(asked, [
    ['rpc', 'invite_member', { library: MADE.id, email: 'new@example.org', role: 'reader' }],
    ['invite', 'new@example.org', { redirectTo: BACK }],
  ])
})

Deno.test('an address with an account gets a sign-in link, and no second account', async () => {
  const asked: Asked = []
  const { mailed } = await invite(WISH, deps(asked, { code: 'email_exists' }))
  assertEquals(mailed, true)
  assertEquals(
    asked[2],
    ['link', { email: 'new@example.org', options: { shouldCreateUser: false, emailRedirectTo: BACK } }].flat(),
  )
})

Deno.test('the invitation stands when no mail can be sent', async () => {
  assertEquals((await invite(WISH, deps([], { code: 'over_email_send_rate_limit' }))).mailed, false)
  assertEquals(
    (await invite(WISH, deps([], { code: 'email_exists' }, { code: 'over_email_send_rate_limit' }))).mailed,
    false,
  )
})

Deno.test('whoever may not invite hears why, and no mail goes out', async () => {
  const asked: Asked = []
  const refusal = { code: '42501', message: 'Only an owner of the library can invite people.' }
  const error = await invite(WISH, deps(asked, null, null, refusal)).catch((caught) => caught)
  assertEquals([error instanceof Refusal, error.status, error.message], [true, 403, refusal.message])
  assertEquals(asked.length, 1)
})
