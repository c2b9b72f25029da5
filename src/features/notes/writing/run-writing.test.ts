import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Draft, followDraft } from './follow-draft.ts'
import type { Message } from './messages.ts'
import { offlineBeginning } from './note-copy.ts'
import { runWriting } from './run-writing.ts'
import { firstState } from './shared-text.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An in-memory note "Hello" with a writer. @param onSend Called with the writer's messages. */
async function begin(onSend: (message: Message) => void, onSaved = () => {}) {
  const beginning = await offlineBeginning({ id: 'v1', text: 'Hello' })
  const updates: string[] = []
  let handlers: { onJoin(): void; onMessage(message: Message): void } | undefined
  const store = {
    read: async () => ({
      generation: beginning.generation,
      format: 1,
      version: 'v1',
      current_version: 'v1',
      is_shared: true,
      state_update: 0,
      last_update: updates.length,
      updated_at: null,
      state: Buffer.from(firstState('Hello')).toString('base64'),
      updates,
    }),
    start: async () => undefined,
    add: async () => updates.length,
    merge: async () => updates.length,
    save: async () => ({ id: 'v2', isPublished: true }),
    readVersion: async () => 'Hello',
  }
  const writer = runWriting({
    store,
    begin: async () => beginning,
    send: async ({ update }) => updates.push(Buffer.from(update).toString('base64')),
    join: (joined) => {
      handlers = joined
      return { send: onSend, close() {} }
    },
    isSaved: () => false,
    onSaved,
  })
  await vi.advanceTimersByTimeAsync(10)
  return { writer, store, updates, tell: (message: Message) => handlers?.onMessage(message) }
}

const gone = () => {
  throw new Error('the socket is gone')
}

test.each<[string, Message['kind']]>([
  ['announcing a stored update', 'stored'],
  ['broadcasting an update', 'update'],
])('an exception while %s is shown, and saving continues', async (_name, kind) => {
  let isBroken = true
  const { writer, updates } = await begin((message) => {
    if (!isBroken || message.kind !== kind) return
    isBroken = false
    gone()
  })
  const steps = new Set<string | undefined>()
  writer.subscribe(() => steps.add(writer.view().open?.writing.step))
  writer.replace('Hello one')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(steps).toContain('failed')
  writer.replace('Hello one two')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(updates).toHaveLength(2)
  expect(writer.view().open?.writing.step).toBe('kept')
  const saving = writer.save()
  await vi.advanceTimersByTimeAsync(10)
  expect(await saving).toBe(true)
})

test('an exception while showing a version does not block the next save', async () => {
  const { writer } = await begin(() => {}, gone)
  for (const text of ['Hello one', 'Hello two']) {
    writer.replace(text)
    const saving = writer.save()
    await vi.advanceTimersByTimeAsync(10)
    expect(await saving).toBe(true)
  }
})

test("a reader follows a note's text and its writers", async () => {
  const toReader: ((message: Message) => void)[] = []
  const { writer, store, tell } = await begin((message) => {
    for (const hear of toReader) hear(message)
  })
  writer.introduce('Ruth')
  writer.replace('Hello one')
  await vi.advanceTimersByTimeAsync(1_000)
  let draft: Draft | undefined
  const reader = followDraft({
    store,
    join: ({ onJoin, onMessage }) => {
      toReader.push(onMessage)
      setTimeout(onJoin)
      return { send: tell, close: () => void toReader.pop() }
    },
    isWriter: true,
    onDraft: (now) => {
      draft = now
    },
  })
  await vi.advanceTimersByTimeAsync(200)
  expect(draft).toMatchObject({ body: 'Hello one', writers: ['Ruth'] })
  // Readers aren't counted as writers.
  expect(writer.view().others).toEqual([])
  writer.replace('Hello one two')
  await vi.advanceTimersByTimeAsync(100)
  expect(draft?.body).toBe('Hello one two')
  writer.leave()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(draft?.writers).toEqual([])
  reader.stop()
})
