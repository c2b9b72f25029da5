import { expect, test } from 'vitest'
import { endingOf, folderOf, truncateName, uniquePaths } from './paths.ts'

test.each([
  ['A report', 'A report'],
  ['../../etc/passwd', 'etc passwd'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j'],
  ['  .hidden. ', 'hidden'],
  ['CON', 'CON_'],
  ['fdp\u202egpj.exe', 'fdp gpj.exe'],
  ['\u0000\u0007', 'untitled'],
  ['', 'untitled'],
  ['x'.repeat(300), 'x'.repeat(120)],
  ['日本語の題名', '日本語の題名'],
])('%j becomes the path %j', (title, name) => {
  expect(truncateName(title)).toBe(name)
})

test('paths are unique', () => {
  const next = uniquePaths()
  expect([next('a/', 'Report', '.pdf'), next('a/', 'report', '.pdf'), next('b/', 'Report', '.pdf')]).toEqual([
    'a/Report.pdf',
    'a/report (2).pdf',
    'b/Report.pdf',
  ])
})

test('folders are nested like collections, and a cycle does not cause an endless loop', () => {
  const folders = [
    { id: '1', name: 'Top', parent_id: null },
    { id: '2', name: 'In/side', parent_id: '1' },
    { id: '3', name: 'Circle', parent_id: '4' },
    { id: '4', name: 'Back', parent_id: '3' },
  ]
  expect(['1', '2', '3', 'gone', null].map((id) => folderOf(folders, id))).toEqual([
    'Top/',
    'Top/In side/',
    'Back/Circle/',
    '',
    '',
  ])
})

test.each([
  ['a.PDF', '.pdf'],
  ['a', ''],
  ['a.b/c', ''],
  ['a.tar.gz', '.gz'],
])('the file extension of %s is %j', (name, ending) => {
  expect(endingOf(name)).toBe(ending)
})
