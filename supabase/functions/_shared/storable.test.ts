import { strictEqual } from 'node:assert/strict'
import { storable } from './errors.ts'

Deno.test('a message with any characters can be stored', () => {
  strictEqual(storable('a\0b'), 'a\uFFFDb')
  strictEqual(storable('a\uD83D'), 'a\uFFFD')
  strictEqual(storable(`${'x'.repeat(999)}😀`), `${'x'.repeat(999)}\uFFFD`)
})
