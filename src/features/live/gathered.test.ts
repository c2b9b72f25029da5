// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gathered } from './gathered.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one alone comes soon, a flood comes together and no faster than the pace', () => {
  const handed: number[][] = []
  const { take } = gathered<number>((all) => handed.push(all), 50, 1000)
  take(1)
  vi.advanceTimersByTime(50)
  expect(handed).toEqual([[1]])
  for (let n = 2; n < 5; n += 1) {
    take(n)
    vi.advanceTimersByTime(100)
  }
  expect(handed).toHaveLength(1)
  vi.advanceTimersByTime(1000)
  expect(handed).toEqual([[1], [2, 3, 4]])
})

test('what waits is dropped when nobody listens any more', () => {
  const hand = vi.fn()
  const { take, cancel } = gathered(hand, 50, 1000)
  take(1)
  cancel()
  vi.advanceTimersByTime(2000)
  expect(hand).not.toHaveBeenCalled()
})
