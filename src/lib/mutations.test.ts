import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createMutationCache, defineMutation } from './mutations.ts'

test('a list that is still loading for the first time shows a change made meanwhile', async () => {
  const queryClient: QueryClient = new QueryClient({ mutationCache: createMutationCache(() => queryClient) })
  const stored: string[] = []
  const { promise: isAdded, resolve: endFirst } = Promise.withResolvers<void>()
  const queryFn = async () => {
    const read = [...stored]
    await isAdded
    return read
  }
  const list = new QueryObserver(queryClient, { queryKey: ['list'], queryFn })
  const stop = list.subscribe(() => {})
  const addition = defineMutation({
    mutationFn: async () => {
      stored.push('A passkey')
    },
    invalidates: () => [['list']],
  })
  const added = new MutationObserver(queryClient, addition).mutate()
  await expect.poll(() => stored).toEqual(['A passkey'])
  endFirst()
  await added
  await expect.poll(() => list.getCurrentResult().data).toEqual(['A passkey'])
  stop()
})
