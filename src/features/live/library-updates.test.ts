import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keys } from '../../domain/keys.ts'
import { libraryUpdates } from './library-updates.ts'

const HERE = 'library'
const DOCUMENT = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const reading = (state: string) => ({ document_id: DOCUMENT, state, progress: 40, problem: null, page_count: null })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const queryClient = new QueryClient()
  queryClient.setQueryData(keys.members(HERE), [])
  queryClient.setQueryData(keys.libraries, [])
  queryClient.setQueryData(keys.facets(HERE), [])
  queryClient.setQueryData([...keys.search(HERE), 'lamp'], [])
  const isStale = (key: readonly unknown[]) => queryClient.getQueryState(key)?.isInvalidated
  return { updates: libraryUpdates(queryClient, HERE), isStale }
}

test('a change of members immediately refreshes members and the user’s role', () => {
  const { updates, isStale } = open()
  updates.onMembers()
  expect([isStale(keys.members(HERE)), isStale(keys.libraries)]).toEqual([true, true])
})

test('a finished document refreshes the author facets', async () => {
  const { updates, isStale } = open()
  updates.onReading(reading('extracting'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(isStale(keys.facets(HERE))).toBe(false)
  updates.onReading(reading('ready'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(isStale(keys.facets(HERE))).toBe(true)
})

test('searches run again when a document is finished, not before', async () => {
  const { updates, isStale } = open()
  const search = [...keys.search(HERE), 'lamp']
  updates.onReading(reading('extracting'))
  await vi.advanceTimersByTimeAsync(6_000)
  expect(isStale(search)).toBe(false)
  updates.onReading(reading('ready'))
  await vi.advanceTimersByTimeAsync(6_000)
  expect(isStale(search)).toBe(true)
})

test('invalid messages and messages pending at the end change nothing', async () => {
  const { updates, isStale } = open()
  updates.onReading({ ...reading('ready'), document_id: 7 })
  updates.onRow({ table: 'documents' })
  updates.onDocuments(null)
  updates.onReading(reading('ready'))
  updates.cancel()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(isStale([...keys.search(HERE), 'lamp'])).toBe(false)
})
