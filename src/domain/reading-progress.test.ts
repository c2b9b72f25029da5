import { expect, test } from 'vitest'
import { progressOf } from './reading-progress.ts'

test('progress is shown as pages, else as a percentage, and as finished at the end', () => {
  const label = (page_count: number | null, page: number | null, share: number) =>
    progressOf({ page_count }, { page, share })?.label
  expect(label(40, 12, 0.28)).toBe('Page 12 of 40')
  expect(label(40, 1, 0)).toBeUndefined()
  expect(label(40, 40, 0.97)).toBe('Finished')
  // In a spread, the last page is the second one.
  expect(label(41, 40, 0.99)).toBe('Finished')
  expect(label(null, null, 0.454)).toBe('45 % read')
  expect(label(null, null, 0.01)).toBeUndefined()
  expect(label(null, null, 1)).toBe('Finished')
  expect(progressOf({ page_count: 40 }, undefined)).toBeUndefined()
})
