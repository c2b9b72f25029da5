import type { AuthChangeEvent, Session, User } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { reactToSessionEvent, type SessionState } from './session-events.ts'

const person = (id: string): User => ({ id, app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' })
const sessionOf = (id: string, token = 'one'): Session => ({
  access_token: token,
  refresh_token: 'refresh',
  expires_in: 3600,
  token_type: 'bearer',
  user: person(id),
})

const OUT: SessionState = { status: 'signed-out' }
const ada = sessionOf('ada')
const adaLater = sessionOf('ada', 'two')
const ben = sessionOf('ben')
const inAs = (session: Session, recovering = false): SessionState => ({ status: 'signed-in', session, recovering })

type Case = [
  name: string,
  event: AuthChangeEvent,
  session: Session | null,
  before: SessionState,
  state: SessionState,
  effects: string[],
]

test.each<Case>([
  ['start while signed out', 'INITIAL_SESSION', null, OUT, OUT, []],
  ['start with a session', 'INITIAL_SESSION', ada, OUT, inAs(ada), []],
  ['signing in continues to the page', 'SIGNED_IN', ada, OUT, inAs(ada), ['reroute']],
  ['the tab becomes visible again', 'SIGNED_IN', adaLater, inAs(ada), inAs(adaLater), []],
  ['the tab becomes visible during a recovery', 'SIGNED_IN', adaLater, inAs(ada, true), inAs(adaLater, true), []],
  ['another user signs in in another tab', 'SIGNED_IN', ben, inAs(ada), inAs(ben), ['forget-person', 'reroute']],
  ['signing out', 'SIGNED_OUT', null, inAs(ada), OUT, ['forget-person', 'reroute']],
  ['the token is refreshed', 'TOKEN_REFRESHED', adaLater, inAs(ada), inAs(adaLater), []],
  ['the token is refreshed during a recovery', 'TOKEN_REFRESHED', adaLater, inAs(ada, true), inAs(adaLater, true), []],
  ['the token is refreshed once the backend is back', 'TOKEN_REFRESHED', ada, OUT, inAs(ada), ['reroute']],
  ['the refresh token is invalid', 'TOKEN_REFRESHED', null, inAs(ada), OUT, ['forget-person', 'reroute']],
  ['the user is changed', 'USER_UPDATED', adaLater, inAs(ada), inAs(adaLater), ['reload-account']],
  ['a new password ends the recovery', 'USER_UPDATED', ada, inAs(ada, true), inAs(ada), ['reload-account', 'reroute']],
  ['a recovery link', 'PASSWORD_RECOVERY', ada, OUT, inAs(ada, true), ['reroute']],
  ['a recovery link in another tab', 'PASSWORD_RECOVERY', adaLater, inAs(ada), inAs(adaLater, true), ['reroute']],
  ["another user's recovery", 'PASSWORD_RECOVERY', ben, inAs(ada), inAs(ben, true), ['forget-person', 'reroute']],
  [
    'the second factor is verified',
    'MFA_CHALLENGE_VERIFIED',
    adaLater,
    inAs(ada),
    inAs(adaLater),
    ['reload-everything', 'reroute'],
  ],
])('%s', (_name, event, session, before, state, effects) => {
  expect(reactToSessionEvent(event, session, before)).toEqual({ state, effects })
})

test('a reload during a recovery continues it', () => {
  const first = reactToSessionEvent('SIGNED_IN', ada, OUT, 'ada').state
  expect(first).toEqual(inAs(ada, true))
  expect(reactToSessionEvent('INITIAL_SESSION', ada, first, 'ada').state).toEqual(inAs(ada, true))
})

test('a recovery does not carry over to another user', () => {
  expect(reactToSessionEvent('INITIAL_SESSION', ben, OUT, 'ada').state).toEqual(inAs(ben))
})
