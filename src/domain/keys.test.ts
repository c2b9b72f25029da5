import { expect, test } from 'vitest'
import { isPersisted, keys } from './keys.ts'

test.each([
  ['the shelf', [...keys.documents('l'), {}], true],
  ['a document', [...keys.document('l', 'd'), 'itself'], true],
  ['comments', [...keys.document('l', 'd'), 'comments'], true],
  ['a file', ['file', 'path'], false],
  ['a search', [...keys.search('l'), 'words'], false],
  ['documents found by title', [...keys.titles('l'), 'found', 'words'], false],
  ['claims', keys.claims, false],
  ['the user’s own name', keys.profile('p'), true],
  ['people with access', [...keys.document('l', 'd'), 'audience'], false],
  ['a shared document', ['shared', 'token'], false],
])('%s is stored in the browser: %j', (_name, key, persisted) => {
  expect(isPersisted(key)).toBe(persisted)
})
