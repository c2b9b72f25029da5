// @vitest-environment node
import { onlineManager, QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { createOutbox, type OutboxStore, written } from './outbox.ts'

afterEach(() => onlineManager.setOnline(true))

/** A browser's disk, and one page after another that reads it. */
function browser() {
  const sent: unknown[] = []
  let disk: { person: string; all: Awaited<ReturnType<OutboxStore['read']>> } | undefined
  const store: OutboxStore = {
    read: async (person) => (disk?.person === person ? structuredClone(disk.all) : []),
    write: async (person, all) => {
      disk = structuredClone({ person, all })
    },
    clear: async () => {
      disk = undefined
    },
  }
  const open = async (person = 'ada', refuse = false) => {
    const queryClient = new QueryClient()
    queryClient.mount()
    const find = async (name: string) => async (variables: unknown) => {
      if (refuse) throw new Error('refused')
      sent.push([name, variables])
    }
    const outbox = createOutbox({ queryClient, find, store })
    const restored = outbox.restore(person)
    const write = (name: string, variables: unknown) => {
      const options = {
        mutationKey: written(name),
        mutationFn: async () => void sent.push([name, variables, 'itself']),
      }
      void queryClient.getMutationCache().build(queryClient, options).execute(variables)
    }
    await Promise.resolve()
    return { queryClient, outbox, write, restored, close: () => queryClient.unmount() }
  }
  return { open, sent, disk: () => disk?.all }
}

test('what was written without network is sent by the next page, in order', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.write('rename', 'one')
  page.write('rename', 'two')
  await vi.waitFor(() => expect(disk()).toHaveLength(2))
  page.close()

  const later = await open()
  await later.restored
  expect(sent).toEqual([])
  expect(disk()).toHaveLength(2)
  onlineManager.setOnline(true)
  await vi.waitFor(() =>
    expect(sent).toEqual([
      ['rename', 'one'],
      ['rename', 'two'],
    ]),
  )
  await vi.waitFor(() => expect(disk()).toEqual([]))
  later.close()
})

test('what the page itself could send is not sent again', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.write('rename', 'one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  onlineManager.setOnline(true)
  await vi.waitFor(() => expect(disk()).toEqual([]))
  page.close()
  const later = await open()
  await later.restored
  expect(sent).toEqual([['rename', 'one', 'itself']])
  later.close()
})

test('what is refused is said, and not tried for ever', async () => {
  const { open, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.write('rename', 'one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  page.close()
  onlineManager.setOnline(true)
  const later = await open('ada', true)
  await later.restored
  await vi.waitFor(() => expect(disk()).toEqual([]))
  later.close()
})

test('another person sends nothing of it, and signing out forgets it', async () => {
  const { open, sent, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  page.write('rename', 'one')
  await vi.waitFor(() => expect(disk()).toHaveLength(1))
  page.close()
  onlineManager.setOnline(true)
  const other = await open('ben')
  await other.restored
  expect(sent).toEqual([])
  other.outbox.forget()
  await vi.waitFor(() => expect(disk()).toBeUndefined())
  other.close()
})

test('of a draft that was kept again and again the last is kept', async () => {
  const { open, disk } = browser()
  onlineManager.setOnline(false)
  const page = await open()
  for (const body of ['a', 'ab', 'abc']) page.write('save-draft', { note: 'one', body })
  page.write('save-draft', { note: 'two', body: 'x' })
  await vi.waitFor(() =>
    expect(disk()?.map(({ variables }) => variables)).toEqual([
      { note: 'one', body: 'abc' },
      { note: 'two', body: 'x' },
    ]),
  )
  page.close()
})
