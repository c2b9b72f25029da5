import { expect, test, vi } from 'vitest'
import { createRecognitionQueue, type RecognitionSteps } from './recognition-queue.ts'

const scanOf = (document: string) => ({ library: 'library', document, title: document })

type Reading = { document: string; page: number; end: (hasText: boolean) => void; break: (error: Error) => void }

/** A queue with three-page scans; pages in `stored` are done. Tests decide when a page is read. */
function open(stored: Record<string, number[]> = {}, overrides: Partial<RecognitionSteps> = {}) {
  const readings: Reading[] = []
  const remembered = new Set<string>()
  const close = vi.fn(async () => {})
  const queue = createRecognitionQueue({
    open: async ({ document }, signal) => {
      const pages = [1, 2, 3].filter((page) => !stored[document]?.includes(page))
      if (pages.length === 0) return null
      return {
        pages,
        total: 3,
        close,
        read: (page) => {
          const { promise, resolve, reject } = Promise.withResolvers<boolean>()
          signal.addEventListener('abort', () => reject(signal.reason))
          readings.push({ document, page, end: resolve, break: reject })
          return promise
        },
      }
    },
    explain: (error) => (error instanceof Error ? error.message : 'unknown'),
    remember: ({ document }) => remembered.add(document),
    forget: (document) => remembered.delete(document),
    ...overrides,
  })
  return { queue, readings, remembered, close, states: () => queue.get().map(({ state }) => state) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

test('a scan is read page by page and finished once', async () => {
  const { queue, readings, remembered, close, states } = open()
  queue.add(scanOf('a'))
  for (const [page, hasText] of [true, false, true].entries()) {
    await settle()
    expect(states()).toEqual([{ step: 'reading', done: page, of: 3 }])
    expect([...remembered]).toEqual(['a'])
    readings[page]?.end(hasText)
  }
  await settle()
  expect(states()).toEqual([{ step: 'done', pages: 2 }])
  expect(close.mock.calls).toEqual([['done']])
  expect([...remembered]).toEqual([])
})

test('recognized pages are skipped, and a scan without pages left is removed', async () => {
  const { queue, readings, states } = open({ a: [1, 2], b: [1, 2, 3] })
  queue.add(scanOf('b'))
  queue.add(scanOf('a'))
  await settle()
  expect(readings.map(({ document, page }) => [document, page])).toEqual([['a', 3]])
  expect(states()).toEqual([{ step: 'reading', done: 2, of: 3 }])
})

test('scans are read one at a time, each once', async () => {
  const { queue, readings, states } = open()
  queue.add(scanOf('a'))
  queue.add(scanOf('b'))
  queue.add(scanOf('b'))
  await settle()
  expect(readings).toHaveLength(1)
  expect(states().map(({ step }) => step)).toEqual(['reading', 'waiting'])
})

test('a canceled scan keeps its finished pages, and the next scan starts', async () => {
  const { queue, readings, remembered, close, states } = open()
  queue.add(scanOf('a'))
  queue.add(scanOf('b'))
  await settle()
  readings[0]?.end(true)
  await settle()
  queue.remove('a')
  await settle()
  expect(close).toHaveBeenCalledTimes(1)
  expect(readings.at(-1)).toMatchObject({ document: 'b', page: 1 })
  expect(states()).toEqual([{ step: 'reading', done: 0, of: 3 }])
  expect([...remembered]).toEqual(['b'])
})

test('a failed scan shows the reason, keeps finished pages, and can be retried', async () => {
  const { queue, readings, remembered, close, states } = open()
  queue.add(scanOf('a'))
  await settle()
  readings[0]?.end(true)
  await settle()
  readings[1]?.break(new Error('The network is down.'))
  await settle()
  expect(states()).toEqual([{ step: 'failed', reason: 'The network is down.' }])
  expect(close.mock.calls).toEqual([['failed']])
  expect([...remembered]).toEqual(['a'])
  queue.add(scanOf('a'))
  await settle()
  expect(states()).toEqual([{ step: 'reading', done: 0, of: 3 }])
})

test('a scan that cannot be opened fails, and signing out clears the queue', async () => {
  const { queue, states } = open({}, { open: () => Promise.reject(new Error('It is gone.')) })
  queue.add(scanOf('a'))
  await settle()
  expect(states()).toEqual([{ step: 'failed', reason: 'It is gone.' }])
  queue.clear()
  expect(states()).toEqual([])
})
