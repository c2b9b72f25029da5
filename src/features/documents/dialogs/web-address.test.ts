import { expect, test } from 'vitest'
import { webAddress } from './web-address.ts'

test.each([
  ['https://example.org/a?b=c#d', 'https://example.org/a?b=c'],
  ['  example.org/page ', 'https://example.org/page'],
  ['HTTP://EXAMPLE.org', 'http://example.org/'],
  ['localhost:8080/x', 'https://localhost:8080/x'],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
  ['https://user:password@example.org/', undefined],
  ['two words', undefined],
  ['word', undefined],
  ['', undefined],
  [`https://example.org/${'x'.repeat(2100)}`, undefined],
])('%s', (typed, expected) => {
  expect(webAddress(typed)).toBe(expected)
})
