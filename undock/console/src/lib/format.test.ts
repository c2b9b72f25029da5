import { expect, test } from 'vitest'
import { readBytes } from './format.ts'

test('formats bytes with spaces between digits, and other text in linear time', () => {
  expect(readBytes(' \\x00 f f\n')).toEqual(new Uint8Array([0, 255]))
  for (const text of ['x', '\\x0', '\\x0g', `\\x${' 0'.repeat(5_000)}!`]) expect(readBytes(text)).toBeNull()
})
