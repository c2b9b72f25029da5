import { expect, test } from 'vitest'
import { splitUrl } from './url.ts'

test.each([
  'http://127.0.0.1:54321/rest/v1/notes?select=id&title=eq.a/b',
  'http://127.0.0.1:54321/rest/v1/notes',
  'http://127.0.0.1:54321/',
  'http://127.0.0.1:54321/a?',
  'http://127.0.0.1:54321/a?b?c',
  'https://127.0.0.1/a#b?c',
  'https://127.0.0.1/a?b#c?d',
  'https://127.0.0.1/a?#b',
  'https://[::1]:54321/a%20b?c=%2F',
])('splits %s like URL', (url) => {
  const { pathname, search } = new URL(url)
  expect(splitUrl(url)).toEqual({ pathname, search })
})
