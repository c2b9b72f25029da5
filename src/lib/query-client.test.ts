// @vitest-environment node
import { expect, test } from 'vitest'
import { createQueryClient } from './query-client.ts'

test.each([
  ['taken away', { code: 'PGRST116', message: 'no rows' }, undefined],
  ['forbidden', { code: '42501', message: 'no' }, undefined],
  ['a backend that is ill', { status: 500, message: 'no' }, 'kept'],
])('what was read before: %s', async (_name, failure, left) => {
  const queryClient = createQueryClient()
  const query = { queryKey: ['one'], retry: false as const }
  await queryClient.fetchQuery({ ...query, queryFn: () => 'kept' })
  await queryClient.fetchQuery({ ...query, staleTime: 0, queryFn: () => Promise.reject(failure) }).catch(() => {})
  expect(queryClient.getQueryData(['one'])).toBe(left)
})
