import type { AuthChangeEvent, Session } from '@supabase/supabase-js'

export type SessionState =
  | { status: 'signed-out' }
  /** `recovering`: signed in by a recovery link; the person can only set a new password. */
  | { status: 'signed-in'; session: Session; recovering: boolean }

/** What the app does about an event, besides storing the session.
 *  - `forget-person`: caches, drafts and channels of the previous person are deleted
 *  - `reload-account`: profile and security screens fetch again
 *  - `reload-everything`: rows that were hidden from this session may be visible now
 *  - `reroute`: the route guards run again */
export type SessionEffect = 'forget-person' | 'reload-account' | 'reload-everything' | 'reroute'

export type SessionReaction = { state: SessionState; effects: readonly SessionEffect[] }

const personOf = (state: SessionState) => (state.status === 'signed-in' ? state.session.user.id : undefined)
const isRecovering = (state: SessionState) => state.status === 'signed-in' && state.recovering

/** Decides the reaction to each session event. Events also arrive from other tabs, and the client repeats SIGNED_IN whenever a
 *  tab becomes visible again: only a change of person may change the screen.
 *  @param recoveringPerson The person whose recovery was under way when this page was loaded, if any. */
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
      // When a page loads, the client emits SIGNED_IN before INITIAL_SESSION, so a recovery may be under way here too.
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
      // A new password arrives as USER_UPDATED, in every tab: it ends the recovery.
      return {
        state: signedIn(false),
        effects: isRecovering(before) ? ['reload-account', 'reroute'] : ['reload-account'],
      }
    case 'MFA_CHALLENGE_VERIFIED':
      return { state: signedIn(isRecovering(before)), effects: ['reload-everything', 'reroute'] }
    case 'TOKEN_REFRESHED':
      // The client gives the new token to Realtime itself; nothing on screen changes. Only when the backend was unreachable
      // while the page loaded can a refresh arrive at a screen for visitors.
      return {
        state: signedIn(samePerson && isRecovering(before)),
        effects: before.status === 'signed-out' ? ['reroute'] : [],
      }
    case 'SIGNED_OUT':
      return { state: { status: 'signed-out' }, effects: ['forget-person', 'reroute'] }
  }
}
