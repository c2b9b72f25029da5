import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './paced.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('sends at once, then the newest of what came in between', () => {
  const sent: number[] = []
  const pace = paced((page: number) => sent.push(page))
  for (const page of [1, 2, 3]) pace.send(page)
  expect(sent).toEqual([1])
  vi.advanceTimersByTime(2_000)
  expect(sent).toEqual([1, 3])
})

test('never more than four in any 31 seconds, and the last one always arrives', () => {
  const times: number[] = []
  const start = Date.now()
  let last = 0
  const pace = paced((page: number) => {
    times.push(Date.now() - start)
    last = page
  })
  for (let page = 1; page <= 120; page++) {
    pace.send(page)
    vi.advanceTimersByTime(500)
  }
  vi.advanceTimersByTime(60_000)
  expect(last).toBe(120)
  for (const time of times) expect(times.filter((at) => at >= time && at < time + 31_000).length).toBeLessThanOrEqual(4)
})

test('what waits can be dropped', () => {
  const sent: number[] = []
  const pace = paced((page: number) => sent.push(page))
  pace.send(1)
  pace.send(2)
  pace.cancel()
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([1])
})
