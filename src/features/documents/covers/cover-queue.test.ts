import { expect, test } from 'vitest'
import { type Cover, createCoverQueue } from './cover-queue.ts'

type Making = { document: string; end: (cover: Cover | null) => void; break: () => void }

/** A queue whose idle time and covers are controlled by the test. */
function open() {
  const makings: Making[] = []
  const idles: (() => void)[] = []
  const queue = createCoverQueue({
    idle: () => new Promise((resolve) => idles.push(resolve)),
    make: ({ document }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Cover | null>()
      makings.push({ document, end: resolve, break: () => reject(new Error('damaged')) })
      return promise
    },
  })
  const rest = async () => {
    idles.shift()?.()
    await settle()
  }
  return { queue, rest, makings, begun: () => makings.map(({ document }) => document) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

test('covers are made one at a time, while the page is idle', async () => {
  const { queue, rest, makings, begun } = open()
  let told = 0
  queue.subscribe(() => (told += 1))
  queue.add({ document: 'a' })
  queue.add({ document: 'b' })
  await settle()
  expect(begun()).toEqual([])
  await rest()
  await rest()
  expect(begun()).toEqual(['a'])
  makings[0]?.end({ version: 'a1', path: 'library/a/cover.webp' })
  await settle()
  await rest()
  expect(begun()).toEqual(['a', 'b'])
  expect(queue.made('a1')).toBe('library/a/cover.webp')
  expect(told).toBe(1)
})

test('unmounted cards are removed from the queue, except new uploads', async () => {
  const { queue, rest, makings, begun } = open()
  const leaves = [queue.add({ document: 'a' }), queue.add({ document: 'b' }), queue.add({ document: 'c' })]
  queue.add({ document: 'c', file: new Blob(['c']) })
  leaves.push(queue.add({ document: 'c' }))
  for (const leave of leaves) leave()
  await rest()
  await rest()
  expect(begun()).toEqual(['c'])
  makings[0]?.end(null)
})

test('a failed cover is not retried until the queue is cleared', async () => {
  const { queue, rest, makings, begun } = open()
  queue.add({ document: 'a' })
  await rest()
  makings[0]?.break()
  await settle()
  queue.add({ document: 'a' })
  await rest()
  expect(begun()).toEqual(['a'])
  queue.clear()
  queue.add({ document: 'a' })
  await rest()
  expect(begun()).toEqual(['a', 'a'])
})

test('nothing starts while paused, not even after an idle callback from before', async () => {
  const { queue, rest, begun } = open()
  queue.setPaused(true)
  queue.add({ document: 'a' })
  await rest()
  queue.setPaused(false)
  queue.setPaused(true)
  await rest()
  expect(begun()).toEqual([])
  queue.setPaused(false)
  await rest()
  expect(begun()).toEqual(['a'])
})

test('a cover started before the queue was cleared is discarded', async () => {
  const { queue, rest, makings } = open()
  queue.add({ document: 'a' })
  await rest()
  queue.clear()
  makings[0]?.end({ version: 'a1', path: 'library/a/cover.webp' })
  await settle()
  expect(queue.made('a1')).toBeUndefined()
})
