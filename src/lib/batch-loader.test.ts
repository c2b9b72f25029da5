import { expect, test, vi } from 'vitest'
import { createBatchLoader } from './batch-loader.ts'

const lengths = async (keys: string[]) => new Map(keys.filter(Boolean).map((key) => [key, key.length]))

test('concurrent keys are loaded together, each once', async () => {
  const load = vi.fn(lengths)
  const ask = createBatchLoader(load, 2)
  expect(await Promise.all([ask('a'), ask('bb'), ask('a'), ask('ccc')])).toEqual([1, 2, 1, 3])
  expect(load.mock.calls).toEqual([[['a', 'bb']], [['ccc']]])
})

test('missing values and failed requests reject', async () => {
  const ask = createBatchLoader(lengths, 10)
  const answers = await Promise.allSettled([ask(''), ask('a')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  const failing = createBatchLoader<number>(() => Promise.reject(new Error('offline')), 10)
  await expect(failing('a')).rejects.toThrow('offline')
})
