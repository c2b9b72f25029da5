import type { AuthChangeEvent, Session } from '@supabase/supabase-js'
import { createStore, type Store } from '../store.ts'
import { reactToSessionEvent, type SessionEffect, type SessionState } from './session-events.ts'

type AuthEvents = {
  onAuthStateChange(callback: (event: AuthChangeEvent, session: Session | null) => void): unknown
}
type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
type EffectHandler = (effect: SessionEffect) => void

export type SessionStore = Store<SessionState> & {
  /** Resolves once it's known whether someone is signed in; route guards wait for it. */
  ready: Promise<void>
  /** Registers the handler of effects, called in the order of the reaction. */
  onEffect(handler: EffectHandler): void
}

/** localStorage key, so that a reload doesn't turn a recovery into an ordinary session. */
const RECOVERING_KEY = 'carrel.recovering'

/** Syncs the session state with the auth client's events.
 *  @param memory Persistent and shared by all tabs: localStorage. */
export function createSessionStore(auth: AuthEvents, memory: Memory): SessionStore {
  const { get, set, subscribe } = createStore<SessionState>({ status: 'signed-out' })
  const handlers = new Set<EffectHandler>()
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()

  auth.onAuthStateChange((event, session) => {
    const reaction = reactToSessionEvent(event, session, get(), memory.getItem(RECOVERING_KEY) ?? undefined)
    const { state } = reaction
    set(state)
    if (state.status === 'signed-in' && state.recovering) memory.setItem(RECOVERING_KEY, state.session.user.id)
    else memory.removeItem(RECOVERING_KEY)
    if (event === 'INITIAL_SESSION') becomeReady()
    // The client holds a lock during this callback: requesting a token would deadlock.
    queueMicrotask(() => {
      for (const effect of reaction.effects) for (const handle of handlers) handle(effect)
    })
  })

  return {
    ready,
    get,
    subscribe,
    onEffect: (handler) => void handlers.add(handler),
  }
}
