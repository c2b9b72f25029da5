// @vitest-environment jsdom
import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { EdgeFunctionError } from './lib/backend/edge-function-error.ts'
import { defineMutation } from './lib/mutations.ts'
import { createQueryClient } from './query-client.ts'

test.each([
  ['not found', { code: 'PGRST116', message: 'no rows' }, undefined],
  ['forbidden', { code: '42501', message: 'no' }, undefined],
  ['a server error', { status: 500, message: 'no' }, 'kept'],
])('cached data after an error: %s', async (_name, failure, left) => {
  const queryClient = createQueryClient()
  const query = { queryKey: ['one'], retry: false as const }
  await queryClient.fetchQuery({ ...query, queryFn: () => 'kept' })
  await queryClient.fetchQuery({ ...query, staleTime: 0, queryFn: () => Promise.reject(failure) }).catch(() => {})
  expect(queryClient.getQueryData(['one'])).toBe(left)
})

test.each([
  ['an unreachable server', new TypeError('Failed to fetch'), true],
  ['a rejected token', { code: 'PGRST301', message: 'JWT' }, true],
  ['a missing row', { code: 'PGRST116', message: 'no rows' }, false],
  ['a part that an administrator has to start', new EdgeFunctionError(503, { message: '' }, false), false],
])('after %s, a result on screen recovers by itself: %s', async (_name, failure, recovers) => {
  vi.useFakeTimers()
  const queryFn = vi.fn(async () => 'answer').mockImplementationOnce(() => Promise.reject(failure))
  const observer = new QueryObserver(createQueryClient(), { queryKey: ['one'], queryFn, retry: false })
  const unsubscribe = observer.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  expect(observer.getCurrentResult().status).toBe('error')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(observer.getCurrentResult().data).toBe(recovers ? 'answer' : undefined)
  expect(queryFn).toHaveBeenCalledTimes(recovers ? 2 : 1)
  unsubscribe()
  vi.useRealTimers()
})

test('mutations run even if the browser is offline, because the backend may be local', async () => {
  const queryClient = createQueryClient()
  onlineManager.setOnline(false)
  const signUp = defineMutation({ mutationFn: async (_: { email: string }) => 'signed up' })
  await expect(new MutationObserver(queryClient, signUp).mutate({ email: 'ada@example.org' })).resolves.toBe(
    'signed up',
  )
  onlineManager.setOnline(true)
})

test('a mutation stays pending until its invalidated queries are fetched', async () => {
  const queryClient = createQueryClient()
  onlineManager.setOnline(true)
  const fetched = vi.fn(async () => 'answer')
  const observer = new QueryObserver(queryClient, { queryKey: ['list', 'one'], queryFn: fetched })
  const unsubscribe = observer.subscribe(() => {})
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce())
  const rename = defineMutation({
    mutationFn: async (_: { list: string }) => {
      throw new Error('refused')
    },
    invalidates: ({ list }) => [['list', list]],
  })
  const mutation = new MutationObserver(queryClient, rename)
  await expect(mutation.mutate({ list: 'one' })).rejects.toThrow('refused')
  expect(fetched).toHaveBeenCalledTimes(2)
  await mutation.mutate({ list: 'other' }).catch(() => {})
  expect(fetched).toHaveBeenCalledTimes(2)
  unsubscribe()
})
