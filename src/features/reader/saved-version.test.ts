// @vitest-environment node
import { expect, test } from 'vitest'
import { withSavedVersion } from './saved-version.ts'

test('a note that was empty is read with the text that was saved', () => {
  const version = { id: 'v0', body: '', number: 1, mime_type: 'text/markdown' }
  const note = { title: 'Lamps', version } as unknown as Parameters<typeof withSavedVersion>[0]
  const saved = { id: 'v1', body: 'The lamp burns.\n' }
  expect(withSavedVersion(note, { ...saved, isPublished: true })).toEqual({
    title: 'Lamps',
    version: { ...version, ...saved },
  })
  expect(withSavedVersion(note, { ...saved, isPublished: false })).toEqual(note)
})
