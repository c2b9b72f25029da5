import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ServerSession } from './server-session.ts'
import { SessionPool } from './session-pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('closes idle sessions and opens new ones for the next caller', async () => {
  let open = 0
  const session = () => ({ isClean: true, close: async () => void open-- })
  const pool = new SessionPool(
    async () => {
      open += 1
      return session() as unknown as ServerSession
    },
    10,
    1_000,
  )
  const use = () => pool.withSession(async () => undefined)
  await Promise.all([use(), use()])
  await pool.shareSession('select 1', async () => undefined)
  await pool.shareSession('select 1', async () => undefined)
  expect(open).toBe(3)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(open).toBe(3)
  await use()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(open).toBe(1)

  const { promise, resolve } = Promise.withResolvers<void>()
  const busy = pool.withSession(() => promise)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(open).toBe(1)
  resolve()
  await busy
  await vi.advanceTimersByTimeAsync(180_000)
  expect(open).toBe(0)

  await use()
  expect(open).toBe(1)
  await pool.close()
  expect(open).toBe(0)
})
