import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { keys } from '../../domain/keys.ts'
import { applyAccess, applyDocumentsEvents, applyRowChanges, invalidateLists } from './library-events.ts'
import { applyIngestEvents, type IngestEvent } from './shelf-patches.ts'

const HERE = 'library'
const ONE = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const HERE_FROM_ELSEWHERE = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0003'
const OTHER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const ADDED = '2026-11-01T08:00:00+00:00'
const card = (id: string) => ({
  id,
  title: id,
  state: 'queued',
  progress: 0,
  problem: null,
  recognition: null,
  recognition_problem: null,
  page_count: null,
  collection_id: null,
  summary: null,
  excerpt: null,
  version: { id: 'v1' },
  created_at: ADDED,
  updated_at: ADDED,
})
const page = () => ({ documents: [card(ONE), card(OTHER)], total: 3, next: { value: ADDED, id: OTHER } })
const row = (change: object) => {
  const { version, ...columns } = card(ONE)
  return { ...columns, current_version_id: version.id, deleted_at: null, ...change }
}
const updated = (change: object) =>
  ({ eventType: 'UPDATE', table: 'documents', new: row(change), old: { id: ONE } }) as const
const heard = (event: Partial<IngestEvent>): IngestEvent => ({
  document_id: ONE,
  state: 'extracting',
  progress: 40,
  problem: null,
  page_count: null,
  ...event,
})

function open() {
  const queryClient = new QueryClient()
  const shelf = [...keys.documents(HERE), {}]
  queryClient.setQueryData(shelf, { pages: [page()], pageParams: [0] })
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

test('losing access clears the library’s cache except for visible queries', async () => {
  const { queryClient, shelf } = open()
  queryClient.setQueryData([...keys.documents('another'), {}], [])
  await applyAccess(queryClient, { library_id: HERE, may_be_less: false })
  expect(queryClient.getQueryState(shelf)?.isInvalidated).toBe(true)
  const onScreen = new QueryObserver(queryClient, { queryKey: keys.titles(HERE), queryFn: () => ['seen now'] })
  const stop = onScreen.subscribe(() => {})
  await applyAccess(queryClient, { library_id: HERE, may_be_less: true })
  expect(queryClient.getQueryData(shelf)).toBeUndefined()
  expect(queryClient.getQueryData(keys.titles(HERE))).toEqual(['seen now'])
  expect(queryClient.getQueryData([...keys.documents('another'), {}])).toEqual([])
  stop()
})

test('progress updates only its card, without a request', () => {
  const { queryClient, shelf, stale } = open()
  applyIngestEvents(queryClient, HERE, [heard({ progress: 20 }), heard({})])
  expect(queryClient.getQueryData(shelf)).toEqual({
    pages: [{ ...page(), documents: [{ ...card(ONE), state: 'extracting', progress: 40 }, card(OTHER)] }],
    pageParams: [0],
  })
  expect(stale()).toEqual([])
})

test('progress does not mark an outdated shelf as current', () => {
  const { queryClient, shelf } = open()
  void queryClient.invalidateQueries({ queryKey: keys.documents(HERE) })
  applyIngestEvents(queryClient, HERE, [heard({})])
  expect(queryClient.getQueryState(shelf)?.isInvalidated).toBe(true)
})

test('a failure shows its reason', () => {
  const { queryClient, shelf } = open()
  applyIngestEvents(queryClient, HERE, [heard({ state: 'failed', progress: 0, problem: { code: 'pdf_protected' } })])
  expect(queryClient.getQueryData<{ pages: { documents: object[] }[] }>(shelf)?.pages[0]?.documents[0]).toMatchObject({
    state: 'failed',
    problem: { code: 'pdf_protected' },
  })
})

test('a change during a pending request invalidates its response', async () => {
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
  void invalidateLists(queryClient, HERE)
  expect(asked).toBe(1)
  answers.resolve(['before the change'])
  await first
  await vi.waitFor(() =>
    expect(queryClient.getQueryState([...keys.documents(HERE), { tag: 'new' }])?.isInvalidated).toBe(true),
  )
})

test('a finished document refreshes the reader', () => {
  const { queryClient, stale } = open()
  applyIngestEvents(queryClient, HERE, [heard({ state: 'ready', progress: 100, page_count: 3 })])
  expect(stale()).toEqual(['document'])
})

test('indexing updates the card without fetching lists', () => {
  const { queryClient, shelf, stale } = open()
  const other = queryClient.getQueryData<{ pages: { documents: object[] }[] }>(shelf)?.pages[0]?.documents[1]
  const change = { state: 'ready', progress: 100, recognition: 'waiting', summary: 'Of lamps.' }
  expect(applyRowChanges(queryClient, HERE, [updated(change)])).toBe(false)
  const { documents } = queryClient.getQueryData<{ pages: { documents: object[] }[] }>(shelf)?.pages[0] ?? {}
  expect(documents?.[0]).toMatchObject({ state: 'ready', recognition: 'waiting', summary: 'Of lamps.' })
  expect(documents?.[1]).toBe(other)
  expect(stale()).toEqual(['document'])
})

test.each([
  ['renamed', updated({ title: 'Wicks' })],
  ['moved', updated({ collection_id: OTHER })],
  ['deleted', updated({ deleted_at: ADDED })],
  ['reverted', updated({ updated_at: '2026-11-02T08:00:00+00:00' })],
  ['replaced', updated({ current_version_id: 'v2' })],
  ['added', { eventType: 'INSERT', table: 'documents', new: row({}), old: {} }],
  ['removed', { eventType: 'DELETE', table: 'documents', new: {}, old: { id: ONE } }],
  ['moved in', updated({ id: HERE_FROM_ELSEWHERE, updated_at: '2026-11-02T08:00:00+00:00' })],
] as const)('a %s document invalidates the lists', async (_how, change) => {
  const { queryClient, stale } = open()
  expect(applyRowChanges(queryClient, HERE, [change])).toBe(true)
  await invalidateLists(queryClient, HERE)
  expect(stale()).toEqual(expect.arrayContaining(['documents', 'titles']))
})

test('a document missing from its fully loaded shelf causes a fetch', () => {
  const { queryClient } = open()
  const moved = updated({ collection_id: 'logs' })
  queryClient.setQueryData([...keys.documents(HERE), {}], {
    pages: [{ documents: [{ ...card(ONE), collection_id: 'logs' }], next: {} }],
  })
  expect(applyRowChanges(queryClient, HERE, [moved])).toBe(false)
  // Requested before the document was moved there.
  queryClient.setQueryData([...keys.documents(HERE), { collection: 'logs' }], { pages: [{ documents: [] }] })
  expect(applyRowChanges(queryClient, HERE, [moved])).toBe(true)
})

test('indexing of a document below the loaded pages fetches no list', () => {
  const { queryClient } = open()
  expect(applyRowChanges(queryClient, HERE, [updated({ id: HERE_FROM_ELSEWHERE, state: 'ready' })])).toBe(false)
})

test('tag and field changes refresh the open document, or all documents if no ids are sent', () => {
  const { queryClient, stale } = open()
  applyDocumentsEvents(queryClient, HERE, [{ ids: [OTHER] }])
  expect(stale()).toEqual([])
  applyDocumentsEvents(queryClient, HERE, [{ ids: [OTHER, ONE] }])
  expect(stale()).toEqual(['document'])
  const every = open()
  applyDocumentsEvents(every.queryClient, HERE, [{ ids: null }])
  expect(every.stale()).toEqual(['document'])
})

test('a comment refreshes only its own document', () => {
  const { queryClient, stale } = open()
  applyRowChanges(queryClient, HERE, [
    { eventType: 'INSERT', table: 'comments', new: { id: OTHER, document_id: ONE }, old: {} },
  ])
  expect(stale()).toEqual(['document'])
})
