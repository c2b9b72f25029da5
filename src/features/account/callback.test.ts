import { AuthApiError, type AuthError } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { confirmMailedToken, finishCallback } from './callback.ts'
import { CallbackSearch } from './callback-search.ts'

const asked: unknown[] = []
const authThat = (data: object, error: AuthError | null = null) => ({
  exchangeCodeForSession: async (code: string) => {
    asked.push(code)
    return { data, error }
  },
})
const finish = (search: object, hash = '', auth = authThat({})) =>
  finishCallback(CallbackSearch.parse(search), hash, auth)

test.each([
  ['a code opens the next page', { code: 'c', next: '/l/1' }, '', authThat({}), { goTo: '/l/1' }],
  [
    'a code never opens another site',
    { code: 'c', next: 'https://elsewhere.example' },
    '',
    authThat({}),
    { goTo: '/' },
  ],
  ['a recovery', { code: 'c' }, '', authThat({ redirectType: 'recovery' }), { goTo: '/reset-password' }],
  [
    'an emailed token needs a click',
    { next: '/l/1' },
    '#token_hash=t&type=magiclink',
    authThat({}),
    { confirm: { token_hash: 't', type: 'magiclink' } },
  ],
  [
    'an emailed token in the query needs a click',
    { token_hash: 't', type: 'email' },
    '',
    authThat({}),
    { confirm: { token_hash: 't', type: 'email' } },
  ],
  [
    'a token of an unknown type',
    {},
    '#token_hash=t&type=other',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole link from the email, or request a new one.' },
  ],
  [
    'an expired link',
    { error: 'access_denied', error_code: 'otp_expired', error_description: 'Email link is invalid' },
    '',
    authThat({}),
    { problem: 'This link or code has expired or was already used. Request a new one.' },
  ],
  [
    'an expired link, in the fragment',
    {},
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    authThat({}),
    { problem: 'This link or code has expired or was already used. Request a new one.' },
  ],
  [
    'a rejected code',
    { code: 'c' },
    '',
    authThat({}, new AuthApiError('invalid flow state', 404, 'flow_state_not_found')),
    { problem: 'This link was already used or has expired. Request a new one.' },
  ],
  [
    'a session of an invitation needs a click',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=invite',
    authThat({}),
    { confirm: { access_token: 'a', refresh_token: 'r', type: 'invite' } },
  ],
  [
    'a session of another type',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=recovery',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole link from the email, or request a new one.' },
  ],
  [
    'an email change confirmed by one mailbox',
    {},
    '#message=Confirm+the+other+address+too',
    authThat({}),
    { said: 'Your old email confirmed the change. Now open the link we sent to the new one.' },
  ],
  [
    'a link without parameters',
    {},
    '',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole link from the email, or request a new one.' },
  ],
])('%s', async (_name, search, hash, auth, outcome) => {
  expect(await finish(search, hash, auth)).toEqual(outcome)
})

test.each([
  ['a company account opens the library it joins', 'sso:idp', '/', ['1'], '/l/1'],
  ['a company account continues to the requested page', 'sso:idp', '/l/2/d/3', ['1'], '/l/2/d/3'],
  ['a company account that joins several libraries opens the list', 'sso:idp', '/', ['1', '2'], '/'],
  ['other accounts join no library', 'github', '/', ['1'], '/'],
])('%s', async (_name, provider, next, joined, goTo) => {
  const auth = authThat({ user: { app_metadata: { provider } } })
  expect(await finishCallback({ code: 'c', next }, '', auth, async () => joined)).toEqual({ goTo })
})

test('a callback with an error ignores its code', async () => {
  asked.length = 0
  await finish({ error_code: 'otp_expired', code: 'c' })
  expect(asked).toEqual([])
})

const verified = (session: object | null, error: AuthError | null = null) => ({
  verifyOtp: async () => ({ data: { session }, error }),
  setSession: async () => ({ data: { session: null }, error }),
})

test.each([
  ['a sign-in', 'magiclink', '/l/1', verified({}), { goTo: '/l/1' }],
  ['never another site', 'signup', 'https://elsewhere.example', verified({}), { goTo: '/' }],
  ['a recovery', 'recovery', '/l/1', verified({}), { goTo: '/reset-password' }],
  ['an email change', 'email_change', '/settings/security', verified({}), { goTo: '/settings/security' }],
  [
    'an email change confirmed by one mailbox',
    'email_change',
    '/settings/security',
    verified(null),
    { said: 'Your old email confirmed the change. Now open the link we sent to the new one.' },
  ],
  [
    'a used token',
    'invite',
    '/',
    verified(null, new AuthApiError('Email link is invalid or has expired', 403, 'otp_expired')),
    { problem: 'This link or code has expired or was already used. Request a new one.' },
  ],
] as const)('confirming an emailed link: %s', async (_name, type, next, auth, outcome) => {
  expect(await confirmMailedToken({ token_hash: 't', type }, next, auth)).toEqual(outcome)
})

test('confirming a link with a session', async () => {
  const token = { access_token: 'a', refresh_token: 'r', type: 'invite' } as const
  expect(await confirmMailedToken(token, '/invite/t', verified({}))).toEqual({ goTo: '/invite/t' })
})
