import { expect, test } from 'vitest'
import { Bucket } from './rate-limits.ts'

const now = new Date('2026-11-21T12:00:00Z')

test('a bucket refills evenly', () => {
  const bucket = new Bucket(1, 2)
  const taken = [0, 0, 0, 1, 1, 10, 10, 10].map((second) => bucket.take(new Date(now.getTime() + second * 1000)))
  expect(taken).toEqual([true, true, false, true, false, true, true, false])
})
