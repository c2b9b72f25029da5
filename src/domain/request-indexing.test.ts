// @vitest-environment node
import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js'
import { expect, test, vi } from 'vitest'

vi.mock('../lib/backend/supabase.ts', () => ({ supabase: {} }))
const { createIndexingRequester } = await import('./request-indexing.ts')

const unreachable = () => new FunctionsFetchError(new Error('no network'))
const answered = (status: number) => new FunctionsHttpError(Response.json({ message: 'As it is.' }, { status }))
const NOTE = { id: 'one', kind: 'note' }

/** Answers in this order, then with success. */
function functions(...answers: (() => unknown)[]) {
  const asked: string[] = []
  const pauses: number[] = []
  const read = createIndexingRequester(
    async (name) => {
      asked.push(name)
      return { error: answers[asked.length - 1]?.() ?? null }
    },
    async (milliseconds) => pauses.push(milliseconds),
  )
  return { read, asked, pauses }
}

test.each([
  ['a note is read', NOTE, [], ['ingest'], []],
  ['a link is fetched first', { id: 'two', kind: 'link' }, [], ['unfurl'], []],
  ['one that is being read is let be', NOTE, [() => answered(409)], ['ingest'], []],
  ['no network', NOTE, [unreachable], ['ingest', 'ingest'], [1000]],
  [
    'a function that died',
    NOTE,
    [() => answered(546), () => answered(503)],
    ['ingest', 'ingest', 'ingest'],
    [1000, 3000],
  ],
  ['too much at once', NOTE, [() => answered(429)], ['ingest', 'ingest'], [1000]],
] as const)('%s', async (_name, document, answers, calls, waited) => {
  const { read, asked, pauses } = functions(...answers)
  await read(document)
  expect({ asked, pauses }).toEqual({ asked: calls, pauses: waited })
})

test('a refused request is not repeated', async () => {
  const { read, asked } = functions(() => answered(404))
  await expect(read(NOTE)).rejects.toMatchObject({ status: 404, message: 'As it is.' })
  expect(asked).toEqual(['ingest'])
})

test('an unreachable backend is given up after some attempts', async () => {
  const { read, asked } = functions(...Array(9).fill(unreachable))
  await expect(read(NOTE)).rejects.toThrow(TypeError)
  expect(asked).toHaveLength(5)
})

test('three documents are indexed at a time, the others wait for their turn', async () => {
  const ends: (() => void)[] = []
  const read = createIndexingRequester(() => new Promise((resolve) => ends.push(() => resolve({ error: null }))))
  const all = Promise.all(['1', '2', '3', '4', '5'].map((id) => read({ id, kind: 'file' })))
  await vi.waitFor(() => expect(ends).toHaveLength(3))
  ends[1]?.()
  await vi.waitFor(() => expect(ends).toHaveLength(4))
  for (const at of [0, 2, 3]) ends[at]?.()
  await vi.waitFor(() => expect(ends).toHaveLength(5))
  ends[4]?.()
  await all
})
