import type { SupabaseClient } from '@supabase/supabase-js'
import { Refusal } from '../_shared/errors.ts'
import { authMailer } from './deliveries.ts'
import { invite } from './invitation.ts'
import { mailOf, type Taken } from './invitation-mail.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const MADE = { id: ID, token: 't0ken', expires_at: '2026-01-08T00:00:00Z' }
const WISH = { library: ID, email: 'new@example.org', role: 'reader', locale: 'en' } as const
const TAKEN: Taken = {
  email: 'new@example.org',
  key: 'k3y',
  locale: 'en',
  account: null,
  unconfirmed: null,
  inviter: 'Ada Lovelace',
  library: 'Reading room',
  role: 'editor',
  collection: null,
  collection_role: null,
  expires_at: MADE.expires_at,
}
const SITE = 'https://carrel.example'

type Asked = [what: string, ...parameters: unknown[]][]
const client = (shape: object) => shape as unknown as SupabaseClient

function deps(asked: Asked, { refusal = null as object | null, taken = TAKEN as object } = {}) {
  return {
    caller: client({
      rpc: (...call: unknown[]) => {
        asked.push(['rpc', ...call])
        return { data: refusal ? null : MADE, error: refusal }
      },
    }),
    service: client({
      rpc: (...call: unknown[]) => {
        asked.push(['rpc', ...call])
        return { throwOnError: () => Promise.resolve({ data: taken }) }
      },
    }),
    deliver: (...call: unknown[]) => {
      asked.push(['deliver', ...call])
      return Promise.resolve()
    },
  }
}

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

Deno.test('an invitation is made with the rights of the caller, and mailed', async () => {
  const asked: Asked = []
  assertEquals(await invite(WISH, deps(asked)), { ...MADE, mail: 'sent' })
  assertEquals(asked, [
    ['rpc', 'invite_member', WISH],
    ['rpc', 'take_invitation_mail', { invitation: ID }],
    ['deliver', TAKEN, 't0ken'],
  ])
})

Deno.test('the invitation is valid when no mail can be sent, or no more', async () => {
  const asked: Asked = []
  assertEquals((await invite(WISH, deps(asked, { taken: { limited: true } }))).mail, 'limited')
  assertEquals(asked.length, 2)
  const failing = { ...deps([]), deliver: () => Promise.reject(new Error('550 no such mailbox')) }
  assertEquals((await invite(WISH, failing)).mail, 'failed')
})

Deno.test('whoever may not invite is told why, and no mail is sent', async () => {
  const asked: Asked = []
  const message = 'Only an owner of the library can invite people.'
  const refusal = { code: '42501', message, details: '{"code": "invitations_need_owner"}', hint: null }
  const error = await invite(WISH, deps(asked, { refusal })).catch((caught) => caught)
  assertEquals(
    [error instanceof Refusal, error.status, error.body],
    [true, 403, { code: 'invitations_need_owner', message }],
  )
  assertEquals(asked.length, 1)
})

Deno.test('the mail names who invites, to what and as what, in its language', () => {
  const english = mailOf(TAKEN, 't0ken', SITE)
  assertEquals(english.subject, 'Ada Lovelace invites you to “Reading room”')
  assertEquals(english.text.split('\n\n').slice(0, 2), [
    'Ada Lovelace invites you to the library “Reading room”, as editor.',
    'You can read everything in it, write comments, and add and change documents.',
  ])
  assertEquals(english.text.includes(`Open the invitation:\n${SITE}/invite/t0ken?key=k3y\n`), true)
  assertEquals(english.html.includes(`href="${SITE}/invite/t0ken?key=k3y"`), true)
  const german = mailOf(
    { ...TAKEN, locale: 'de', role: 'guest', collection: 'Karten', collection_role: 'reader', inviter: null },
    't0ken',
    SITE,
  )
  assertEquals(german.subject, 'Sie sind zu „Reading room“ eingeladen')
  assertEquals(german.text.split('\n\n')[0], 'Jemand öffnet Ihnen die Sammlung „Karten“ der Bibliothek „Reading room“.')
  assertEquals(german.text.includes('Der Link gilt bis zum 8. Januar 2026, einmal und für new@example.org.'), true)
  const arabic = mailOf({ ...TAKEN, locale: 'ar' }, 't0ken', SITE)
  assertEquals(
    arabic.text.split('\n\n')[0],
    'يدعوك \u2068Ada Lovelace\u2069 إلى المكتبة «\u2068Reading room\u2069» بصفة محرِّر.',
  )
  assertEquals(/حتى (8|٨) يناير (2026|٢٠٢٦)، وللعنوان \u2068new@example\.org\u2069/.test(arabic.text), true)
})

Deno.test('the key is only for an address without an account', () => {
  const mail = mailOf({ ...TAKEN, account: ID }, 't0ken', SITE)
  assertEquals(
    [mail.text, mail.html].map((said) => said.includes('k3y')),
    [false, false],
  )
  assertEquals(mail.html.includes(`href="${SITE}/invite/t0ken"`), true)
})

Deno.test('names make no markup, no headers and no links of their own', () => {
  const hostile = '<b>Ada</b> & "co"\r\nBcc: all@example.org\u202e https://evil.example www.evil.example'
  const { subject, text, html } = mailOf({ ...TAKEN, inviter: hostile, library: hostile }, 't0ken', SITE)
  assertEquals([/[\r\n\u202e]/.test(subject), subject.length], [false, 150])
  assertEquals(/<b>|all@example|evil\.example|:\/\/evil/.test(html), false)
  assertEquals(/all@example|evil\.example|:\/\/evil/.test(text + subject), false)
  assertEquals(html.includes('&lt;b&gt;Ada&lt;/b&gt; &amp; &quot;co&quot;'), true)
})

function authDeps(asked: Asked, error: object | null = null) {
  const note =
    (what: string, answer: object) =>
    (...call: unknown[]) => {
      asked.push([what, ...call])
      return answer
    }
  const service = client({
    auth: {
      admin: {
        inviteUserByEmail: note('invite', { data: { user: error ? null : { id: 'fresh' } }, error }),
        updateUserById: note('update', { error: null }),
      },
    },
  })
  return authMailer(service, client({ auth: { signInWithOtp: note('link', { error }) } }), SITE)
}
const OFFER = {
  sentence: 'Ada Lovelace invites you to the library “Reading room”, as editor.',
  rights: 'You can read everything in it, write comments, and add and change documents.',
}

Deno.test('without a mail server the auth service invites a new address, and forgets the offer', async () => {
  const asked: Asked = []
  await authDeps(asked)(TAKEN, 't0ken')
  assertEquals(asked, [
    [
      'invite',
      'new@example.org',
      { data: { locale: 'en', invitation: OFFER }, redirectTo: `${SITE}/invite/t0ken?key=k3y` },
    ],
    ['update', 'fresh', { user_metadata: { invitation: null } }],
  ])
})

Deno.test('an address that was invited before gets the new offer', async () => {
  const asked: Asked = []
  await authDeps(asked)({ ...TAKEN, unconfirmed: ID, locale: 'fr' }, 't0ken')
  assertEquals(asked[0], ['update', ID, { user_metadata: { invitation: OFFER, locale: 'en' } }])
})

Deno.test('an address with an account gets a sign-in link, and forgets the offer even if that fails', async () => {
  const asked: Asked = []
  const code = 'over_email_send_rate_limit'
  const error = await authDeps(asked, { code })({ ...TAKEN, account: ID }, 't0ken').catch((caught) => caught)
  assertEquals(error.code, code)
  assertEquals(asked, [
    ['update', ID, { user_metadata: { invitation: OFFER } }],
    [
      'link',
      {
        email: 'new@example.org',
        options: { shouldCreateUser: false, emailRedirectTo: `${SITE}/auth/callback?next=%2Finvite%2Ft0ken` },
      },
    ],
    ['update', ID, { user_metadata: { invitation: null } }],
  ])
})
