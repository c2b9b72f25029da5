// @vitest-environment node
import { expect, test } from 'vitest'
import { keys } from './keys.ts'
import { isKept } from './offline.ts'

test.each([
  ['the shelf', [...keys.documents('l'), {}], true],
  ['a document', [...keys.document('l', 'd'), 'itself'], true],
  ['comments', [...keys.document('l', 'd'), 'comments'], true],
  ['a file', ['file', 'path'], false],
  ['a search', [...keys.search('l'), 'words'], false],
  ['claims', keys.claims, false],
  ['the own name', keys.profile('p'), true],
  ['who sees it', [...keys.document('l', 'd'), 'audience'], false],
  ['a shared document', ['shared', 'token'], false],
])('%s is kept: %j', (_name, key, kept) => {
  expect(isKept(key)).toBe(kept)
})
