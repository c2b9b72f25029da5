import { expect, test } from 'vitest'
import type { Result } from './db.ts'
import { SharedReads } from './shared-reads.ts'

const result = (n: number): Result[] => [{ rows: [{ n }], rowCount: 1, command: 'SELECT' }]

/** A read that begins and ends when it is told to. */
function controlled(reads: SharedReads, text: string, values: readonly unknown[] = []) {
  let begun = false
  let runs = 0
  const end = Promise.withResolvers<Result[]>()
  const ask = (): Promise<Result[]> =>
    reads.join([{ text, values }], (onSent) => {
      runs += 1
      onSent(() => begun)
      return end.promise
    })
  return { ask, end, begin: () => (begun = true), runs: () => runs }
}

test('a request before a read has begun shares it; a later or different request does not', async () => {
  const reads = new SharedReads()
  const first = controlled(reads, 'a')
  const together = [first.ask(), first.ask()]
  expect(first.runs()).toBe(1)
  first.begin()
  const second = controlled(reads, 'a')
  const other = controlled(reads, 'b')
  const later = [second.ask(), other.ask(), second.ask()]
  expect([second.runs(), other.runs()]).toEqual([1, 1])
  // The first ends while the second still waits: the second is still there to be joined.
  first.end.resolve(result(1))
  expect(await Promise.all(together)).toEqual([result(1), result(1)])
  later.push(second.ask())
  expect(second.runs()).toBe(1)
  second.end.resolve(result(2))
  other.end.resolve(result(3))
  expect(await Promise.all(later)).toEqual([result(2), result(3), result(2), result(2)])
})

test('a failure affects all callers that shared the read, and no others', async () => {
  const reads = new SharedReads()
  const failing = controlled(reads, 'a')
  const together = Promise.allSettled([failing.ask(), failing.ask()])
  failing.end.reject(new Error('lost'))
  expect((await together).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const again = controlled(reads, 'a')
  again.end.resolve(result(1))
  expect(await again.ask()).toEqual(result(1))
})

test.each<[string, [string, unknown[]], [string, unknown[]]]>([
  ['values', ['a', ['1']], ['a', ['2']]],
  ['where one value ends', ['a', ['b', 'c']], ['a', ['bc', '']]],
  ['a number and its text', ['a', [1]], ['a', ['1']]],
  ['null and its text', ['a', [null]], ['a', ['null']]],
])('another %s makes it another read', async (_, [text, values], [otherText, otherValues]) => {
  const reads = new SharedReads()
  const [one, other] = [controlled(reads, text, values), controlled(reads, otherText, otherValues)]
  const answers = [one.ask(), other.ask()]
  expect([one.runs(), other.runs()]).toEqual([1, 1])
  one.end.resolve(result(1))
  other.end.resolve(result(2))
  expect(await Promise.all(answers)).toEqual([result(1), result(2)])
})
