import type { AuthChangeEvent, Session } from '@supabase/supabase-js'
import { reactToSessionEvent, type SessionEffect, type SessionState } from './session-events.ts'

type AuthEvents = {
  onAuthStateChange(callback: (event: AuthChangeEvent, session: Session | null) => void): unknown
}
type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
type EffectHandler = (effect: SessionEffect) => void

export type SessionStore = {
  /** Resolves once it is known whether anybody is signed in; route guards wait for it. */
  ready: Promise<void>
  get(): SessionState
  subscribe(listener: () => void): () => void
  /** Registers what carries out the effects. It is called in the order in which the reaction lists them. */
  onEffect(handler: EffectHandler): void
}

/** Survives a reload, so that reloading the page does not turn a recovery into an ordinary session. */
const RECOVERING_KEY = 'carrel.recovering'

/** Keeps the session state in step with the auth client's events.
 *  @param memory Kept across reloads and shared by all tabs: localStorage. */
export function createSessionStore(auth: AuthEvents, memory: Memory): SessionStore {
  let state: SessionState = { status: 'signed-out' }
  const listeners = new Set<() => void>()
  const handlers = new Set<EffectHandler>()
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()

  auth.onAuthStateChange((event, session) => {
    const reaction = reactToSessionEvent(event, session, state, memory.getItem(RECOVERING_KEY) ?? undefined)
    state = reaction.state
    if (state.status === 'signed-in' && state.recovering) memory.setItem(RECOVERING_KEY, state.session.user.id)
    else memory.removeItem(RECOVERING_KEY)
    if (event === 'INITIAL_SESSION') becomeReady()
    for (const listener of listeners) listener()
    // The client holds a lock during this callback: an effect that asks it for a token right now would deadlock.
    queueMicrotask(() => {
      for (const effect of reaction.effects) for (const handle of handlers) handle(effect)
    })
  })

  return {
    ready,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onEffect: (handler) => void handlers.add(handler),
  }
}
