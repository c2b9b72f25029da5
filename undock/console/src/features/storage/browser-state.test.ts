import { expect, test } from 'vitest'
import { deletion, nextSort, opened, shownEntries, toSort } from './browser-state.ts'
import type { Entry } from './storage.ts'
import { droppedFiles } from './uploads.ts'

test('opening a folder clears search and file; opening a file keeps the list', () => {
  expect(opened('a/b/', 'a/one.txt')).toEqual({ path: 'a/b/', file: undefined, q: undefined })
  expect(opened('a/two.txt', 'a/one.txt')).toEqual({ file: 'a/two.txt' })
  expect(opened('a/one.txt', 'a/one.txt')).toEqual({ file: undefined })
})

test('hides the placeholder of an empty folder', () => {
  const entry = (key: string) => ({ key }) as Entry
  expect(shownEntries(['a/', 'a.emptyFolderPlaceholder', '.emptyFolderPlaceholder'].map(entry))).toEqual([
    entry('a/'),
    entry('a.emptyFolderPlaceholder'),
  ])
})

test('sorts a column ascending, then descending, and by name by default', () => {
  expect([nextSort('name', 'updated_at'), nextSort('updated_at', 'updated_at')]).toEqual(['updated_at', '-updated_at'])
  expect(nextSort('-updated_at', 'updated_at')).toBe('updated_at')
  expect([undefined, '-name', 'size', '--name', ''].map(toSort)).toEqual(['name', '-name', 'name', 'name', 'name'])
})

test('the delete confirmation names one entry, counts several and warns about folders', () => {
  expect(deletion(['a/one.txt'])).toEqual({
    title: 'Delete one.txt?',
    warning: 'Storage cannot restore deleted files.',
  })
  expect(deletion(['one.txt', 'a/'])).toEqual({
    title: 'Delete 2 entries?',
    warning: 'All files in the selected folders are deleted. Storage cannot restore them.',
  })
})

test("reads dropped folders completely and keeps each file's path", async () => {
  const file = (name: string) => ({ name, isFile: true, file: (done: (it: unknown) => void) => done(name) })
  const folder = (name: string, ...batches: readonly unknown[][]) => {
    const left = [...batches, []]
    return {
      name,
      isFile: false,
      createReader: () => ({ readEntries: (done: (it: unknown) => void) => done(left.shift()) }),
    }
  }
  const entries = [file('one.txt'), folder('a', [file('two.txt')], [folder('b', [file('three.txt')]), folder('empty')])]
  const items = [...entries, null].map((entry) => ({ webkitGetAsEntry: () => entry }))
  const found = await droppedFiles({ items } as unknown as DataTransfer)
  expect(found.map(({ path }) => path)).toEqual(['one.txt', 'a/two.txt', 'a/b/three.txt'])
})
