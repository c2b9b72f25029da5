import type { AuthChangeEvent, Session } from '@supabase/supabase-js'

export type SessionState =
  | { status: 'signed-out' }
  /** `recovering`: came by a recovery link, and may do nothing but set a new password. */
  | { status: 'signed-in'; session: Session; recovering: boolean }

/** What the app has to do about an event besides taking over the session.
 *  - `forget-person`: caches, drafts and channels of whoever was signed in are dropped
 *  - `reload-account`: profile and security screens fetch anew
 *  - `reload-everything`: what was hidden from this session may be visible now
 *  - `reroute`: the guards decide again which screen may show */
export type SessionEffect = 'forget-person' | 'reload-account' | 'reload-everything' | 'reroute'

export type SessionReaction = { state: SessionState; effects: readonly SessionEffect[] }

const personOf = (state: SessionState) => (state.status === 'signed-in' ? state.session.user.id : undefined)
const isRecovering = (state: SessionState) => state.status === 'signed-in' && state.recovering

/** Every session event's reaction. Events also arrive from other tabs, and the client repeats SIGNED_IN whenever a tab
 *  becomes visible again: only a change of person may move anything on screen.
 *  @param recoveringPerson Whose recovery was under way when this page was loaded, if any. */
export function reactTo(
  event: AuthChangeEvent,
  session: Session | null,
  before: SessionState,
  recoveringPerson?: string | undefined,
): SessionReaction {
  if (!session) {
    const effects = event === 'INITIAL_SESSION' ? [] : (['forget-person', 'reroute'] as const)
    return { state: { status: 'signed-out' }, effects }
  }
  const samePerson = personOf(before) === session.user.id
  const signedIn = (recovering: boolean): SessionState => ({ status: 'signed-in', session, recovering })
  switch (event) {
    case 'INITIAL_SESSION':
      return { state: signedIn(recoveringPerson === session.user.id), effects: [] }
    case 'SIGNED_IN':
      if (samePerson) return { state: signedIn(isRecovering(before)), effects: [] }
      // On loading a page the client says SIGNED_IN before INITIAL_SESSION, so this too may be a recovery going on.
      return {
        state: signedIn(before.status === 'signed-out' && recoveringPerson === session.user.id),
        effects: before.status === 'signed-in' ? ['forget-person', 'reroute'] : ['reroute'],
      }
    case 'PASSWORD_RECOVERY':
      return {
        state: signedIn(true),
        effects: before.status === 'signed-in' && !samePerson ? ['forget-person', 'reroute'] : ['reroute'],
      }
    case 'USER_UPDATED':
      // Setting a new password arrives as USER_UPDATED, in every tab: that is what ends a recovery.
      return {
        state: signedIn(false),
        effects: isRecovering(before) ? ['reload-account', 'reroute'] : ['reload-account'],
      }
    case 'MFA_CHALLENGE_VERIFIED':
      return { state: signedIn(isRecovering(before)), effects: ['reload-everything', 'reroute'] }
    case 'TOKEN_REFRESHED':
      // The client hands the new token to realtime itself; nothing on screen moves. Only when the backend was away
      // while the page loaded does a refresh come to a screen that took nobody to be signed in.
      return {
        state: signedIn(samePerson && isRecovering(before)),
        effects: before.status === 'signed-out' ? ['reroute'] : [],
      }
    case 'SIGNED_OUT':
      return { state: { status: 'signed-out' }, effects: ['forget-person', 'reroute'] }
  }
}
