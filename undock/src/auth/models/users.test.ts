import { expect, test } from 'vitest'
import { merged } from './users.ts'

test('merges metadata and removes null', () => {
  expect(merged({ a: 1, b: 2 }, { b: null, c: 3 })).toEqual({ a: 1, c: 3 })
})
