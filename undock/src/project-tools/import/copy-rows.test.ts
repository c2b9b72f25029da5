import { expect, test } from 'vitest'
import { completeRows, replaceInRows } from './load-rows.ts'

const MIB = 1024 * 1024

test('parts end where rows do, and no more than one of them is read ahead', async () => {
  let read = 0
  async function* stream() {
    for (;;) {
      read += 65_000
      yield Buffer.from(`${'x'.repeat(64_990)}\ncut off `)
    }
  }
  let parts = 0
  for await (const part of completeRows(stream())) {
    expect(part.at(-1)).toBe(0x0a)
    expect(part.length).toBeLessThan(5 * MIB)
    parts += 1
    expect(read).toBeLessThan(parts * 5 * MIB)
    if (parts === 20) break
  }
})

test('a row that is larger than a part stays whole', async () => {
  async function* stream() {
    for (let n = 0; n < 10; n++) yield Buffer.alloc(MIB, 'x')
    yield Buffer.from('\n')
  }
  const parts = await Array.fromAsync(completeRows(stream()))
  expect(parts.map(({ length }) => length)).toEqual([10 * MIB + 1])
})

test('values are replaced in the text format of COPY, and others stay as they are', () => {
  const rows = Buffer.from('1\ta\\tb\\\\N\t\\N\n2\t\\\\x\\n\tü\n')
  const replaced = replaceInRows(rows, [null, (value) => `[${value}]\r`, () => 'new'])
  expect(replaced.toString()).toBe('1\t[a\\tb\\\\N]\\r\t\\N\n2\t[\\\\x\\n]\\r\tnew\n')
})
