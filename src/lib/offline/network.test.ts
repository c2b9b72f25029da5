// @vitest-environment jsdom
import { onlineManager } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followNetwork } from './network.ts'

vi.mock('../backend/env.ts', () => ({ env: { supabaseUrl: 'http://127.0.0.1', publishableKey: 'key' } }))

let browserSays = false
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => browserSays)
})
afterEach(() => {
  onlineManager.setEventListener(() => undefined)
  vi.useRealTimers()
  vi.restoreAllMocks()
})
const tell = (online: boolean) => {
  browserSays = online
  dispatchEvent(new Event(online ? 'online' : 'offline'))
}

test('without a network interface a backend that starts after the page is found', async () => {
  let runs = false
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    runs ? Promise.resolve(new Response()) : Promise.reject(new TypeError('Failed to fetch')),
  )
  followNetwork()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onlineManager.isOnline()).toBe(false)
  runs = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onlineManager.isOnline()).toBe(true)
})

test('a response from before the latest network event is ignored', async () => {
  const asked: PromiseWithResolvers<Response>[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => {
    const question = Promise.withResolvers<Response>()
    asked.push(question)
    return question.promise
  })
  followNetwork()
  tell(true)
  expect(onlineManager.isOnline()).toBe(true)
  tell(false)
  expect(onlineManager.isOnline()).toBe(false)
  asked[1]?.resolve(new Response())
  await vi.advanceTimersByTimeAsync(0)
  expect(onlineManager.isOnline()).toBe(true)
  asked[0]?.reject(new TypeError('Failed to fetch'))
  await vi.advanceTimersByTimeAsync(0)
  expect(onlineManager.isOnline()).toBe(true)
})
