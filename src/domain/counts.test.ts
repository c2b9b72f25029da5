import { expect, test } from 'vitest'
import { countDocuments, countPages } from './counts.ts'

test('counts use singular, plural and thousands separators', () => {
  expect([countDocuments(0), countDocuments(1), countDocuments(2000), countPages(1), countPages(2)]).toEqual([
    '0 documents',
    '1 document',
    '2,000 documents',
    '1 page',
    '2 pages',
  ])
})
