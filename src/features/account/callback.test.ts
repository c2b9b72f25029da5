// @vitest-environment node
import { AuthApiError, type AuthError } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { CallbackSearch, finishCallback } from './callback.ts'

const asked: unknown[] = []
const authThat = (data: object, error: AuthError | null = null) => ({
  exchangeCodeForSession: async (code: string) => {
    asked.push(code)
    return { data, error }
  },
  setSession: async (tokens: object) => {
    asked.push(tokens)
    return { error }
  },
  verifyOtp: async (params: object) => {
    asked.push(params)
    return { error }
  },
})
const finish = (search: object, hash = '', auth = authThat({})) =>
  finishCallback(CallbackSearch.parse(search), hash, auth)

test.each([
  ['a code leads on', { code: 'c', next: '/l/1' }, '', authThat({}), { goTo: '/l/1' }],
  ['never elsewhere', { code: 'c', next: 'https://elsewhere.example' }, '', authThat({}), { goTo: '/' }],
  ['a recovery', { code: 'c' }, '', authThat({ redirectType: 'recovery' }), { goTo: '/reset-password' }],
  ['a token of our own mail', { token_hash: 't', type: 'email' }, '', authThat({}), { goTo: '/' }],
  [
    'a recovery token',
    { token_hash: 't', type: 'recovery', next: '/l/1' },
    '',
    authThat({}),
    { goTo: '/reset-password' },
  ],
  [
    'an expired link',
    { error: 'access_denied', error_code: 'otp_expired', error_description: 'Email link is invalid' },
    '',
    authThat({}),
    { problem: 'This link or code has expired or was used before. Ask for a new one.' },
  ],
  [
    'the same, in the fragment',
    {},
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    authThat({}),
    { problem: 'This link or code has expired or was used before. Ask for a new one.' },
  ],
  [
    'a code that is refused',
    { code: 'c' },
    '',
    authThat({}, new AuthApiError('invalid flow state', 404, 'flow_state_not_found')),
    { problem: 'This link was used before or has expired. Ask for a new one.' },
  ],
  [
    'an invitation that a colleague asked for',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=invite',
    authThat({}),
    { goTo: '/invite/t' },
  ],
  [
    'a session of another kind than those',
    { next: '/invite/t' },
    '#access_token=a&refresh_token=r&type=recovery',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole address from the mail, or ask for a new one.' },
  ],
  [
    'half of an address change',
    {},
    '#message=Confirm+the+other+address+too',
    authThat({}),
    { said: 'Confirm the other address too' },
  ],
  [
    'nothing at all',
    {},
    '',
    authThat({}),
    { problem: 'This link is incomplete. Copy the whole address from the mail, or ask for a new one.' },
  ],
])('%s', async (_name, search, hash, auth, outcome) => {
  expect(await finish(search, hash, auth)).toEqual(outcome)
})

test('a callback with an error does not use the code that comes with it', async () => {
  asked.length = 0
  await finish({ error_code: 'otp_expired', code: 'c' })
  expect(asked).toEqual([])
})
