import { expect, test } from 'vitest'
import { latinDigits } from './digits.ts'

test.each([
  ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
  ['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
  ['صفحة ٤2', 'صفحة 42'],
])('%s is parsed as %s', (typed, read) => {
  expect(latinDigits(typed)).toBe(read)
})
