import { expect, test } from 'vitest'
import { pageHeaders, readPage, readSorting } from './pagination.ts'

test('reads page and sorting from the query, and makes links from the total count', () => {
  expect(readPage(new URLSearchParams())).toEqual({ page: 1, perPage: 50 })
  expect(readPage(new URLSearchParams('page=0&per_page=0'))).toEqual({ page: 1, perPage: 50 })
  for (const query of ['page=-1', 'page=x', 'per_page=1.5', 'page=99999999999999999999']) {
    expect(() => readPage(new URLSearchParams(query))).toThrow()
  }
  expect(readSorting(new URLSearchParams('sort=created_at ASC'))).toEqual({ field: 'created_at', descending: false })
  for (const query of ['sort=email', 'sort=created_at;drop', 'sort=created_at up']) {
    expect(() => readSorting(new URLSearchParams(query))).toThrow()
  }
  expect(pageHeaders(new URL('http://x/auth/v1/admin/users?page=3'), { page: 3, perPage: 10 }, 25)).toEqual({
    link: '</admin/users?page=3>; rel="last"',
    'x-total-count': '25',
  })
})
