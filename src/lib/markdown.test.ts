import { expect, test } from 'vitest'
import { withoutMarkdown } from './markdown.ts'

test.each([
  ['# Lamps\n\nThe **keeper** lights `all` of ~~those~~ lamps.', 'Lamps The keeper lights all of those lamps.'],
  ['- [x] Trim the [wick](https://example.com/wick), then ![a lamp](x.png)', 'Trim the wick, then a lamp'],
  ['> 1 \\* 2, snake_case - and a dash', '1 * 2, snake_case - and a dash'],
  ['An unfinished [link](https://exam…', 'An unfinished link'],
  ['Trivial merge rules ═════════ This document', 'Trivial merge rules This document'],
  ['NAME ---- git - the | Embedded Ada | tool ==…', 'NAME git - the Embedded Ada tool ==…'],
  ['', ''],
])('the plain text of %j is %j', (text, words) => {
  expect(withoutMarkdown(text)).toBe(words)
})
