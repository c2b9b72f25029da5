import { expect, test } from 'vitest'
import { passwordFault } from './password.ts'

test.each([
  ['short', /at least 10 characters/],
  ['nine char', /at least 10 characters/],
  ['ten charac', undefined],
  ['📚📚📚📚📚', /at least 10 characters/],
  ['ä'.repeat(36), undefined],
  ['ä'.repeat(37), /at most 72 bytes/],
])('%s', (password, fault) => {
  const found = passwordFault(password)
  if (fault) expect(found).toMatch(fault)
  else expect(found).toBeUndefined()
})
