import type { AuthChangeEvent, Session } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { createSessionStore } from './session-store.ts'

const ada: Session = {
  access_token: 'token',
  refresh_token: 'refresh',
  expires_in: 3600,
  token_type: 'bearer',
  user: { id: 'ada', app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' },
}

function open() {
  let emit: (event: AuthChangeEvent, session: Session | null) => void = () => {}
  const kept = new Map<string, string>()
  const memory = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const auth = {
    onAuthStateChange: (callback: typeof emit) => {
      emit = callback
    },
  }
  const store = createSessionStore(auth, memory)
  return { store, emit: (event: AuthChangeEvent, session: Session | null) => emit(event, session), kept }
}

test('route guards wait for the first auth event', async () => {
  const { store, emit } = open()
  let ready = false
  void store.ready.then(() => {
    ready = true
  })
  await Promise.resolve()
  expect(ready).toBe(false)
  emit('INITIAL_SESSION', ada)
  await store.ready
  expect(store.get()).toEqual({ status: 'signed-in', session: ada, recovering: false })
})

test('effects run after the auth client has released its lock', async () => {
  const { store, emit } = open()
  const seen: string[] = []
  store.onEffect((effect) => seen.push(effect))
  emit('SIGNED_IN', ada)
  emit('SIGNED_OUT', null)
  expect(seen).toEqual([])
  await Promise.resolve()
  expect(seen).toEqual(['reroute', 'forget-person', 'reroute'])
})

test('listeners are notified until they unsubscribe', () => {
  const { store, emit } = open()
  let told = 0
  const leave = store.subscribe(() => {
    told += 1
  })
  emit('SIGNED_IN', ada)
  leave()
  emit('SIGNED_OUT', null)
  expect(told).toBe(1)
})

test('a recovery survives reloads until a new password is set', () => {
  const { emit, kept } = open()
  emit('PASSWORD_RECOVERY', ada)
  expect([...kept.values()]).toEqual(['ada'])
  emit('USER_UPDATED', ada)
  expect(kept.size).toBe(0)
})

test('an abandoned recovery does not affect the next sign-in', () => {
  const { store, emit, kept } = open()
  kept.set('carrel.recovering', 'ada')
  emit('INITIAL_SESSION', null)
  emit('SIGNED_IN', ada)
  expect(store.get()).toMatchObject({ recovering: false })
})
