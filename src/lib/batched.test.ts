import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batched } from './batched.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('single items are delivered soon, many items together at a limited rate', () => {
  const handed: number[][] = []
  const { add } = batched<number>((all) => handed.push(all), 50, 1000)
  add(1)
  vi.advanceTimersByTime(50)
  expect(handed).toEqual([[1]])
  for (let n = 2; n < 5; n += 1) {
    add(n)
    vi.advanceTimersByTime(100)
  }
  expect(handed).toHaveLength(1)
  vi.advanceTimersByTime(1000)
  expect(handed).toEqual([[1], [2, 3, 4]])
})

test('pending items are dropped when the listener is removed', () => {
  const hand = vi.fn()
  const { add, cancel } = batched(hand, 50, 1000)
  add(1)
  cancel()
  vi.advanceTimersByTime(2000)
  expect(hand).not.toHaveBeenCalled()
})
