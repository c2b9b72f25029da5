// @vitest-environment node
import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { keys } from '../../domain/keys.ts'
import { applyIngestEvent, applyRowChanges, type IngestEvent } from './library-events.ts'

const HERE = 'library'
const ONE = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const OTHER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const card = (id: string) => ({ id, title: id, state: 'queued', progress: 0, state_message: null, page_count: null })
const heard = (event: Partial<IngestEvent>): IngestEvent => ({
  document_id: ONE,
  state: 'extracting',
  progress: 40,
  message: null,
  page_count: null,
  ...event,
})

function open() {
  const queryClient = new QueryClient()
  const shelf = [...keys.documents(HERE), {}]
  queryClient.setQueryData(shelf, { pages: [{ documents: [card(ONE), card(OTHER)], total: 2 }], pageParams: [0] })
  queryClient.setQueryData([...keys.document(HERE, ONE), 'itself'], card(ONE))
  queryClient.setQueryData(keys.titles(HERE), [])
  queryClient.setQueryData([...keys.search(HERE), 'lamp'], [])
  const stale = () =>
    queryClient
      .getQueryCache()
      .getAll()
      .filter(({ state }) => state.isInvalidated)
      .map(({ queryKey }) => String(queryKey[2]))
  return { queryClient, shelf, stale }
}

test('progress updates only its card, without a request', () => {
  const { queryClient, shelf, stale } = open()
  applyIngestEvent(queryClient, HERE, heard({}))
  expect(queryClient.getQueryData(shelf)).toEqual({
    pages: [{ documents: [{ ...card(ONE), state: 'extracting', progress: 40 }, card(OTHER)], total: 2 }],
    pageParams: [0],
  })
  expect(stale()).toEqual([])
})

test('a failure shows its cause', () => {
  const { queryClient, shelf } = open()
  applyIngestEvent(queryClient, HERE, heard({ state: 'failed', progress: 0, message: 'Locked with a password.' }))
  expect(queryClient.getQueryData<{ pages: { documents: object[] }[] }>(shelf)?.pages[0]?.documents[0]).toMatchObject({
    state: 'failed',
    state_message: 'Locked with a password.',
  })
})

test('a change is fetched even while the first response is pending', async () => {
  const { queryClient } = open()
  const answers = Promise.withResolvers<string[]>()
  let asked = 0
  const first = queryClient.fetchQuery({
    queryKey: [...keys.documents(HERE), { tag: 'new' }],
    queryFn: () => {
      asked += 1
      return answers.promise
    },
  })
  applyRowChanges(queryClient, HERE, [{ table: 'documents', new: { id: ONE }, old: {} }])
  expect(asked).toBe(1)
  answers.resolve(['before the change'])
  await first
  await vi.waitFor(() =>
    expect(queryClient.getQueryState([...keys.documents(HERE), { tag: 'new' }])?.isInvalidated).toBe(true),
  )
})

test('a document that is ready refreshes the reader', () => {
  const { queryClient, stale } = open()
  applyIngestEvent(queryClient, HERE, heard({ state: 'ready', progress: 100, page_count: 3 }))
  expect(stale()).toEqual(['document'])
})

test('a changed document refreshes the views that show it', () => {
  const { queryClient, stale } = open()
  applyRowChanges(queryClient, HERE, [{ table: 'documents', new: { id: ONE }, old: {} }])
  expect(stale()).toEqual(['documents', 'document', 'titles'])
})

test('a comment refreshes only its own document', () => {
  const { queryClient, stale } = open()
  applyRowChanges(queryClient, HERE, [{ table: 'comments', new: { id: OTHER, document_id: ONE }, old: {} }])
  expect(stale()).toEqual(['document'])
})
