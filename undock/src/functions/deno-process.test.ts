import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onLines } from './deno-process.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => vi.useRealTimers())

/** Resolves when a stream has passed on what it can. */
const passed = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test.each([
  ['long lines', `${'x'.repeat(100_000)}\n`, 3],
  ['empty lines', '\n'.repeat(1_000), 2],
  ['text without an end', 'x'.repeat(100_000), 3],
])('a program that writes %s waits after each portion', async (_what, text, most) => {
  const stream = new PassThrough({ highWaterMark: 1 })
  let count = 0
  onLines(stream, () => undefined)
  stream.on('data', () => {
    count += 1
  })
  for (let n = 0; n < 20; n++) stream.write(text)
  await passed()
  expect([count, stream.isPaused()]).toEqual([most, true])
  await vi.advanceTimersByTimeAsync(50)
  await passed()
  expect([count, stream.isPaused()]).toEqual([2 * most, true])
})

test('lines are whole, however they arrive, and very long ones come in parts', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  onLines(stream, (line) => lines.push(line))
  for (const text of ['one\ntw', 'o\n', 'x'.repeat(70_000), 'y\n']) {
    stream.write(text)
    await passed()
  }
  expect(lines).toEqual(['one', 'two', 'x'.repeat(70_000), 'y'])
})
