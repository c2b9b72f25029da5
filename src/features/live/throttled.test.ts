import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttled } from './throttled.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('the first value is sent immediately, then the latest', () => {
  const sent: number[] = []
  const throttle = throttled((page: number) => sent.push(page))
  for (const page of [1, 2, 3]) throttle.send(page)
  expect(sent).toEqual([1])
  vi.advanceTimersByTime(2_000)
  expect(sent).toEqual([1, 3])
})

test('at most four values are sent in 31 seconds, and the last one always is', () => {
  const times: number[] = []
  const start = Date.now()
  let last = 0
  const throttle = throttled((page: number) => {
    times.push(Date.now() - start)
    last = page
  })
  for (let page = 1; page <= 120; page++) {
    throttle.send(page)
    vi.advanceTimersByTime(500)
  }
  vi.advanceTimersByTime(60_000)
  expect(last).toBe(120)
  for (const time of times) expect(times.filter((at) => at >= time && at < time + 31_000).length).toBeLessThanOrEqual(4)
})

test('a pending value can be canceled', () => {
  const sent: number[] = []
  const throttle = throttled((page: number) => sent.push(page))
  throttle.send(1)
  throttle.send(2)
  throttle.cancel()
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([1])
})
