import { onlineManager, QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { createOutbox, defineOfflineMutation, type OutboxStore } from './outbox.ts'

afterEach(() => onlineManager.setOnline(true))

function browser() {
  const sent: unknown[] = []
  const errors: unknown[] = []
  let disk: { person: string; all: Awaited<ReturnType<OutboxStore['read']>> } | undefined
  let isRefused = false
  const store: OutboxStore = {
    read: async (person) => (disk?.person === person ? structuredClone(disk.all) : []),
    write: async (person, all) => {
      disk = structuredClone({ person, all })
    },
    clear: async () => {
      disk = undefined
    },
  }
  const send = async (how: string, variables: unknown) => {
    if (isRefused) throw new Error('refused')
    sent.push([how, variables])
  }
  const rename = defineOfflineMutation({
    name: 'rename',
    mutationFn: (title: string) => send('by its own page', title),
    resend: (title) => send('by a later page', title),
  })
  const saveDraft = defineOfflineMutation({
    name: 'save-draft',
    mutationFn: (draft: { note: string; body: string }) => send('by any page', draft),
    coalesceBy: ({ note }) => note,
  })
  const open = async (person = 'ada') => {
    const queryClient = new QueryClient()
    queryClient.mount()
    const loadDefinitions = vi.fn(async () => {})
    const outbox = createOutbox({
      queryClient,
      store,
      loadDefinitions,
      isWorthRetrying: () => false,
      onError: (error) => errors.push(error),
    })
    const restored = outbox.restore(person)
    const mutate = <Variables>(definition: object, variables: Variables) =>
      void queryClient
        .getMutationCache()
        .build<unknown, Error, Variables, unknown>(queryClient, definition)
        .execute(variables)
    await Promise.resolve()
    return {
      queryClient,
      outbox,
      restored,
      loadDefinitions,
      rename: (title: string) => mutate(rename, title),
      saveDraft: (note: string, body: string) => mutate(saveDraft, { note, body }),
      close: () => queryClient.unmount(),
    }
  }
  const refuse = () => {
    isRefused = true
  }
  return { open, refuse, sent, errors, disk: () => disk?.all }
}

test('offline changes are sent by the next page, in order', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.rename('one')
  page.rename('two')
  await vi.waitFor(() => expect(disk()).toHaveLength(2))
  page.close()

  const later = await open()
  await later.restored
  expect(sent).toEqual([])
  expect(disk()).toHaveLength(2)
  onlineManager.setOnline(true)
  await vi.waitFor(() =>
    expect(sent).toEqual([
      ['by a later page', 'one'],
      ['by a later page', 'two'],
    ]),
  )
  await vi.waitFor(() => expect(disk()).toEqual([]))
  expect(later.loadDefinitions).not.toHaveBeenCalled()
  later.close()
})

test('changes that the page sent itself are not sent again', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.rename('one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  onlineManager.setOnline(true)
  await vi.waitFor(() => expect(disk()).toEqual([]))
  page.close()
  const later = await open()
  await later.restored
  expect(sent).toEqual([['by its own page', 'one']])
  later.close()
})

test('a rejected change is reported and not retried', async () => {
  const { open, refuse, errors, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.rename('one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  page.close()
  onlineManager.setOnline(true)
  refuse()
  const later = await open()
  await later.restored
  await vi.waitFor(() => expect(disk()).toEqual([]))
  expect(errors).toEqual([new Error('refused')])
  later.close()
})

test('other users never send these changes, and signing out deletes them', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.rename('one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  page.close()
  onlineManager.setOnline(true)
  const other = await open('ben')
  await other.restored
  expect(sent).toEqual([])
  other.outbox.discard()
  await vi.waitFor(() => expect(disk()).toBeUndefined())
  other.close()
})

test('only the last version of a repeatedly saved draft is stored', async () => {
  const { open, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  for (const body of ['a', 'ab', 'abc']) page.saveDraft('one', body)
  page.saveDraft('two', 'x')
  await vi.waitFor(() =>
    expect(disk()?.map(({ variables }) => variables)).toEqual([
      { note: 'one', body: 'abc' },
      { note: 'two', body: 'x' },
    ]),
  )
  page.close()
})

test('a definition is loaded when the first change with its name is sent', async () => {
  const sent: unknown[] = []
  const queryClient = new QueryClient()
  queryClient.mount()
  const outbox = createOutbox({
    queryClient,
    store: {
      read: async () => [{ name: 'lazy', variables: 'one' }],
      write: async () => {},
      clear: async () => {},
    },
    loadDefinitions: async () => {
      defineOfflineMutation({ name: 'lazy', mutationFn: async (title: string) => void sent.push(title) })
    },
    isWorthRetrying: () => false,
    onError: () => {},
  })
  await outbox.restore('ada')
  expect(sent).toEqual(['one'])
  queryClient.unmount()
})
