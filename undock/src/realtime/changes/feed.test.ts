import { afterEach, expect, test, vi } from 'vitest'
import type { Db } from '../../database/db.ts'
import { engineUnavailable } from '../../database/protocol/errors.ts'
import { NO_TRACER } from '../../kernel/tracer.ts'
import { Feed } from './feed.ts'
import { Subscriptions } from './subscriptions.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('keeps a batch until the server responds, however long that takes', async () => {
  vi.useFakeTimers()
  const ask = vi.fn(async () => Promise.reject(engineUnavailable('connect ECONNREFUSED')))
  const db: Db = {
    query: ask,
    run: ask,
    exec: ask,
    runAs: ask,
    transaction: ask,
    listen: ask,
    prepareSettings: () => null,
  }
  const change = { entity: '1', action: 'INSERT', happenedAt: '', record: {}, old: null, version: null } as const
  const subscriptions = new Subscriptions(db, '')
  vi.spyOn(subscriptions, 'on').mockReturnValue([
    {
      listener: { topic: '', version: '2.0.0', request: { legacy: false }, deliver: vi.fn(), fail: vi.fn() },
      bindingId: 1,
      action: '*',
      columns: null,
      filters: [],
      role: 'anon',
      claims: '{}',
    },
  ])
  const error = vi.fn()
  const log = { info: vi.fn(), warn: vi.fn(), error }
  const take = vi.fn(async () => ({ taken: [change], mayBeMore: false }))
  const feed = new Feed({ db, queue: { take }, subscriptions, log, tracer: NO_TRACER }, async () => undefined)
  feed.wake()
  for (let times = 0; times < 500; times++) await vi.advanceTimersByTimeAsync(250)
  expect(ask.mock.calls.length).toBeGreaterThan(400)
  expect(take).toHaveBeenCalledTimes(1)
  expect(error.mock.calls.filter(([, , fields]) => fields?.dropped)).toEqual([])
  await feed.close()
})
