import { expect, test } from 'vitest'
import { follower, moved } from './arrangement.ts'

const LIST = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
const drop = (from: number, to: number) =>
  moved(LIST, LIST[from]?.id ?? '', follower(LIST, from, to))
    .map(({ id }) => id)
    .join('')

test.each([
  [0, 2, 'bcad'],
  [0, 3, 'bcda'],
  [3, 0, 'dabc'],
  [2, 1, 'acbd'],
])('favorite %i is dropped on favorite %i', (from, to, expected) => {
  expect(drop(from, to)).toBe(expected)
})
