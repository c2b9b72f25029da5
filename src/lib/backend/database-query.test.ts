import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { databaseQuery } from './database-query.ts'

const requestOf = <Data>(answer: () => Promise<{ data: Data }>) => ({
  abortSignal: () => ({ throwOnError: answer }),
})
const answering = <Data>(data: Data) => requestOf(async () => ({ data }))
const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

test('a query has the data of its request', async () => {
  expect(await client().fetchQuery(databaseQuery(['tags'], () => answering([{ id: '1' }])))).toEqual([{ id: '1' }])
})

test('a query has what its reader makes of the data', async () => {
  const query = databaseQuery(
    ['seen'],
    () => answering<{ seen: number } | null>(null),
    (data) => data?.seen ?? 0,
  )
  expect(await client().fetchQuery(query)).toBe(0)
})

test('a query fails with the error of its request', async () => {
  const refused = requestOf(() => Promise.reject(new Error('permission denied')))
  await expect(client().fetchQuery(databaseQuery(['tags'], () => refused))).rejects.toThrow('permission denied')
})

test('a cancelled query aborts its request', async () => {
  const queries = client()
  const { promise, resolve } = Promise.withResolvers<AbortSignal>()
  const query = databaseQuery(['tags'], () => ({
    abortSignal: (signal: AbortSignal) => {
      resolve(signal)
      return { throwOnError: () => new Promise<{ data: null }>(() => {}) }
    },
  }))
  queries.fetchQuery(query).catch(() => {})
  const signal = await promise
  await queries.cancelQueries({ queryKey: ['tags'] })
  expect(signal.aborted).toBe(true)
})
