import type { AuthChangeEvent, Session } from '@supabase/supabase-js'

export type SessionState =
  | { status: 'signed-out' }
  /** `recovering`: signed in by a recovery link; only a new password can be set. */
  | { status: 'signed-in'; session: Session; recovering: boolean }

/** Effects of an event, besides storing the session.
 *  - `forget-person`: deletes the previous person's caches, drafts and channels
 *  - `reload-account`: refetches profile and security
 *  - `reload-everything`: hidden rows may be visible now
 *  - `reroute`: runs the route guards again */
export type SessionEffect = 'forget-person' | 'reload-account' | 'reload-everything' | 'reroute'

export type SessionReaction = { state: SessionState; effects: readonly SessionEffect[] }

const personOf = (state: SessionState) => (state.status === 'signed-in' ? state.session.user.id : undefined)
const isRecovering = (state: SessionState) => state.status === 'signed-in' && state.recovering

/** Returns the reaction to a session event. Events also come from other tabs, and SIGNED_IN is repeated when a tab
 *  becomes visible: only a change of person may change the screen.
 *  @param recoveringPerson The person in recovery when the page was loaded, if any. */
export function reactToSessionEvent(
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
      // On page load, SIGNED_IN comes before INITIAL_SESSION, so a recovery may be active here too.
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
      // A new password arrives as USER_UPDATED in every tab and ends the recovery.
      return {
        state: signedIn(false),
        effects: isRecovering(before) ? ['reload-account', 'reroute'] : ['reload-account'],
      }
    case 'MFA_CHALLENGE_VERIFIED':
      return { state: signedIn(isRecovering(before)), effects: ['reload-everything', 'reroute'] }
    case 'TOKEN_REFRESHED':
      // The client informs Realtime itself. A refresh reaches visitors only if the backend was down during page load.
      return {
        state: signedIn(samePerson && isRecovering(before)),
        effects: before.status === 'signed-out' ? ['reroute'] : [],
      }
    case 'SIGNED_OUT':
      return { state: { status: 'signed-out' }, effects: ['forget-person', 'reroute'] }
  }
}
