// @vitest-environment node
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
  ['a code leads on', { code: 'c', next: '/l/1' }, '', authThat({}), { goTo: '/l/1' }],
  ['never elsewhere', { code: 'c', next: 'https://elsewhere.example' }, '', authThat({}), { goTo: '/' }],
  ['a recovery', { code: 'c' }, '', authThat({ redirectType: 'recovery' }), { goTo: '/reset-password' }],
  [
    'a token of a mail waits for a button',
    { next: '/l/1' },
    '#token_hash=t&type=magiclink',
    authThat({}),
    { confirm: { token_hash: 't', type: 'magiclink' } },
  ],
  [
    'also in the query',
    { token_hash: 't', type: 'email' },
    '',
    authThat({}),
    { confirm: { token_hash: 't', type: 'email' } },
  ],
  [
    'a token of no known kind',
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
    'the same, in the fragment',
    {},
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    authThat({}),
    { problem: 'This link or code has expired or was already used. Request a new one.' },
  ],
  [
    'a code that is refused',
    { code: 'c' },
    '',
    authThat({}, new AuthApiError('invalid flow state', 404, 'flow_state_not_found')),
    { problem: 'This link was already used or has expired. Request a new one.' },
  ],
  [
    'a session in an invitation that a colleague asked for waits for a button',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=invite',
    authThat({}),
    { confirm: { access_token: 'a', refresh_token: 'r', type: 'invite' } },
  ],
  [
    'a session of another kind than those',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=recovery',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole link from the email, or request a new one.' },
  ],
  [
    'half of an address change',
    {},
    '#message=Confirm+the+other+address+too',
    authThat({}),
    { said: 'Your old email confirmed the change. Now open the link we sent to the new one.' },
  ],
  [
    'nothing at all',
    {},
    '',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole link from the email, or request a new one.' },
  ],
])('%s', async (_name, search, hash, auth, outcome) => {
  expect(await finish(search, hash, auth)).toEqual(outcome)
})

test.each([
  ['a company’s account opens the library that it joins', 'sso:idp', '/', ['1'], '/l/1'],
  ['but continues to where it wanted to', 'sso:idp', '/l/2/d/3', ['1'], '/l/2/d/3'],
  ['or to all libraries, when it joins several or none', 'sso:idp', '/', ['1', '2'], '/'],
  ['another account joins nothing', 'github', '/', ['1'], '/'],
])('%s', async (_name, provider, next, joined, goTo) => {
  const auth = authThat({ user: { app_metadata: { provider } } })
  expect(await finishCallback({ code: 'c', next }, '', auth, async () => joined)).toEqual({ goTo })
})

test('a callback with an error does not use the code that comes with it', async () => {
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
  ['never elsewhere', 'signup', 'https://elsewhere.example', verified({}), { goTo: '/' }],
  ['a recovery', 'recovery', '/l/1', verified({}), { goTo: '/reset-password' }],
  ['a change of address', 'email_change', '/settings/security', verified({}), { goTo: '/settings/security' }],
  [
    'half of one',
    'email_change',
    '/settings/security',
    verified(null),
    { said: 'Your old email confirmed the change. Now open the link we sent to the new one.' },
  ],
  [
    'a token that was used',
    'invite',
    '/',
    verified(null, new AuthApiError('Email link is invalid or has expired', 403, 'otp_expired')),
    { problem: 'This link or code has expired or was already used. Request a new one.' },
  ],
] as const)('the button of a mailed link: %s', async (_name, type, next, auth, outcome) => {
  expect(await confirmMailedToken({ token_hash: 't', type }, next, auth)).toEqual(outcome)
})

test('the button of a link with a session', async () => {
  const token = { access_token: 'a', refresh_token: 'r', type: 'invite' } as const
  expect(await confirmMailedToken(token, '/invite/t', verified({}))).toEqual({ goTo: '/invite/t' })
})
