import { expect, test } from 'vitest'
import { headingWithin } from './passage-heading.ts'

test.each([
  ['Lamps', 'Lamps', ''],
  ['Lamps › The lens', 'Lamps', 'The lens'],
  ['Lampshades', 'Lamps', 'Lampshades'],
  [null, 'Lamps', ''],
])('%s in %s', (heading, title, left) => {
  expect(headingWithin(heading, title)).toBe(left)
})
