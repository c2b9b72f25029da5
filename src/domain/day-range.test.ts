// @vitest-environment node
import { expect, test } from 'vitest'
import { dayRange } from './day-range.ts'

test.each([
  ['2026', '2026-01-01', '2026-12-31'],
  ['2026-02', '2026-02-01', '2026-02-28'],
  ['2028-02', '2028-02-01', '2028-02-29'],
  ['2026-03-05', '2026-03-05', '2026-03-05'],
  ['0050', '0050-01-01', '0050-12-31'],
  ['2019..2021-06', '2019-01-01', '2021-06-30'],
  ['2019-03..', '2019-03-01', undefined],
  ['..2021', undefined, '2021-12-31'],
])('%s lasts from %s to %s', (text, from, to) => {
  expect(dayRange(text)).toEqual({ from, to })
})

test.each([
  '',
  '..',
  '2021..2019',
  '2026-13',
  '2026-00',
  '2026-02-30',
  '2026-1',
  '0000',
  '26',
  '2019..2020..2021',
  '2019...2021',
])('"%s" is not a range', (text) => {
  expect(dayRange(text)).toBeUndefined()
})
