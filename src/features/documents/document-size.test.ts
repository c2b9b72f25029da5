import { expect, test } from 'vitest'
import { sizeLabel } from './document-size.ts'

test.each([
  ['file', '12 bytes'],
  ['note', ''],
])('the size of a %s is shown as "%s"', (kind, label) => {
  expect(sizeLabel({ kind, page_count: null, size_bytes: 12 })).toBe(label)
})
