// @vitest-environment node
import { expect, test } from 'vitest'
import { StalledIndexing } from './stalled-indexing.ts'

const document = (state: 'queued' | 'extracting' | 'embedding' | 'ready' | 'failed', progress = 0) =>
  ({ id: 'one', kind: 'file', state, progress }) as const

/** @param looks Seconds, and how the document stands then; @returns the seconds at which it was asked after, and given out. */
function watch(looks: readonly (readonly [number, ReturnType<typeof document>])[]) {
  const indexing = new StalledIndexing()
  const asked: number[] = []
  const read: number[] = []
  for (const [second, one] of looks) {
    const { shouldPoll, stalled } = indexing.check([one], second * 1000)
    if (shouldPoll) asked.push(second)
    if (stalled.length > 0) read.push(second)
  }
  return { asked, read }
}

const every5 = (until: number, one: ReturnType<typeof document>) =>
  Array.from({ length: until / 5 + 1 }, (_, index) => [index * 5, one] as const)

test.each([
  [
    'what is ready or has failed is left alone',
    [...every5(300, document('ready')), ...every5(300, document('failed'))],
    [],
    [],
  ],
  ['what is queued is asked after, then read', every5(20, document('queued')), [10], [20]],
  ['patience doubles', every5(100, document('queued')), [10, 30, 70], [20, 60]],
  [
    'a reading that stands still is taken up after two minutes',
    every5(130, document('embedding', 50)),
    [10, 30, 70],
    [130],
  ],
  [
    'what moves is at work',
    every5(300, document('queued')).map(([at], index) => [at, document('extracting', index)] as const),
    [],
    [],
  ],
] as const)('%s', (_name, looks, asked, read) => {
  expect(watch(looks)).toEqual({ asked, read })
})
