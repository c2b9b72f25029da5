import { expect, test } from 'vitest'
import { withSavedVersion } from './queries.ts'

test('a saved version replaces the text of the open note once published', () => {
  const version = { id: 'v0', body: '', number: 1, mime_type: 'text/markdown' }
  const note = { title: 'Lamps', version } as unknown as Parameters<typeof withSavedVersion>[0]
  const saved = { id: 'v1', body: 'The lamp burns.\n' }
  expect(withSavedVersion(note, { ...saved, isPublished: true })).toEqual({
    title: 'Lamps',
    version: { ...version, ...saved },
  })
  expect(withSavedVersion(note, { ...saved, isPublished: false })).toEqual(note)
})
