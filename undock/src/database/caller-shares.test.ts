import { expect, test, vi } from 'vitest'
import { CallerShares } from './engine-db.ts'

const WAIT_LIMIT = 10_000

function work() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const run = vi.fn(() => promise)
  return { run, end: resolve, fail: reject }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a caller waits for its own work without delaying others or the stack', async () => {
  const shares = new CallerShares(2, WAIT_LIMIT)
  const [first, second, third, other, own] = [work(), work(), work(), work(), work()]
  const running = [first, second, third].map(({ run }) => shares.run('anon', run))
  running.push(shares.run('user 1', other.run), shares.run(undefined, own.run))
  await turn()
  for (const { run } of [first, second, other, own]) expect(run).toHaveBeenCalled()
  expect(third.run).not.toHaveBeenCalled()
  first.end()
  await turn()
  expect(third.run).toHaveBeenCalled()
  for (const { end } of [second, third, other, own]) end()
  await Promise.all(running)
})

test('failed work frees its slot in order of arrival', async () => {
  const shares = new CallerShares(1, WAIT_LIMIT)
  const [first, second, third] = [work(), work(), work()]
  const failing = shares.run('anon', first.run)
  const waiting = [second, third].map(({ run }) => shares.run('anon', run))
  first.fail(new Error('no'))
  await expect(failing).rejects.toThrow('no')
  await turn()
  expect([second.run.mock.calls.length, third.run.mock.calls.length]).toEqual([1, 0])
  second.end()
  third.end()
  await Promise.all(waiting)
  await shares.run('anon', async () => undefined)
})

test('work that waits too long is rejected and never runs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const shares = new CallerShares(1, WAIT_LIMIT)
    const [first, second] = [work(), work()]
    const running = shares.run('anon', first.run)
    const refused = expect(shares.run('anon', second.run)).rejects.toMatchObject({ code: '55P03' })
    vi.advanceTimersByTime(WAIT_LIMIT)
    await refused
    first.end()
    await running
    expect(second.run).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
