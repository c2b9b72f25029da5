import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

test.each([
  [undefined, '/'],
  ['', '/'],
  ['/', '/'],
  ['/l/abc?sort=title#top', '/l/abc?sort=title#top'],
  ['/a/../b', '/b'],
  ['l/abc', '/'],
  ['https://elsewhere.example/', '/'],
  ['//elsewhere.example', '/'],
  ['/\\elsewhere.example', '/'],
  ['/\t/elsewhere.example', '/'],
  ['/.//elsewhere.example', '/'],
  ['/a/..//elsewhere.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/%2f%2felsewhere.example', '/%2f%2felsewhere.example'],
])('%j leads to %j', (asked, path) => {
  expect(nextPath(asked)).toBe(path)
})
