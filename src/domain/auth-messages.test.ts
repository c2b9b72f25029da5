import { AuthApiError } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { describeAuthCode, describeAuthError } from './auth-messages.ts'

const passkeyError = (name: string, code: string) =>
  Object.assign(new Error('The operation either timed out or was not allowed.'), {
    __isWebAuthnError: true,
    name,
    code,
  })

test.each([
  [
    'a wrong password',
    new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'),
    'Email and password do not match. Check both, or ask for a sign-in link instead.',
  ],
  [
    'a closed passkey dialog',
    passkeyError('NotAllowedError', 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY'),
    'You stopped it, or it took too long. Try again.',
  ],
  [
    'a passkey that already exists',
    passkeyError('InvalidStateError', 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'),
    'This device already has a passkey for your account.',
  ],
  ['no response', new TypeError('Failed to fetch'), 'Can’t reach the server. Nothing is lost. Try again in a moment.'],
])('%s is explained', (_name, error, explanation) => {
  expect(describeAuthError(error)).toBe(explanation)
})

test('an error code named like an Object.prototype member is unknown', () => {
  expect(describeAuthCode('constructor')).toBe('This link doesn’t work. Request a new one. (constructor)')
})

test('text in place of an error code is not shown', () => {
  expect(describeAuthCode('Call 555-0100 to unlock')).toBe('This link doesn’t work. Request a new one.')
})
