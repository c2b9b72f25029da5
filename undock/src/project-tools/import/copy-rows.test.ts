import { expect, test } from 'vitest'
import { completeRows, replaceInRows } from './load-rows.ts'

const MIB = 1024 * 1024

test('splits at row ends and reads at most one part ahead', async () => {
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

test('keeps a row larger than a part whole', async () => {
  async function* stream() {
    for (let n = 0; n < 10; n++) yield Buffer.alloc(MIB, 'x')
    yield Buffer.from('\n')
  }
  const parts = await Array.fromAsync(completeRows(stream()))
  expect(parts.map(({ length }) => length)).toEqual([10 * MIB + 1])
})

test('replaces values in the COPY text format and leaves the others unchanged', () => {
  const rows = Buffer.from('1\ta\\tb\\\\N\t\\N\n2\t\\\\x\\n\tü\n')
  const replaced = replaceInRows(rows, [null, (value) => `[${value}]\r`, () => 'new'])
  expect(replaced.toString()).toBe('1\t[a\\tb\\\\N]\\r\t\\N\n2\t[\\\\x\\n]\\r\tnew\n')
})
