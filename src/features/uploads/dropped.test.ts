import { expect, test } from 'vitest'
import { fromPicker, fromTransfer } from './dropped.ts'

const fileAt = (path: string): File => {
  const file = new File(['x'], path.split('/').at(-1) ?? '')
  Object.defineProperty(file, 'webkitRelativePath', { value: path.includes('/') ? path : '' })
  return file
}
const said = (placed: { file: File; folders: string[] }[]) =>
  placed.map(({ file, folders }) => [...folders, file.name].join('/'))

test('a chosen folder keeps its structure and skips system files', () => {
  const files = ['a/b/c.txt', 'a/.git/config', 'a/.DS_Store', 'a/Thumbs.db', 'a/~$open.docx', 'a/d.txt'].map(fileAt)
  expect(said(fromPicker(files))).toEqual(['a/b/c.txt', 'a/d.txt'])
})

test('a file chosen by itself is kept, whatever its name', () => {
  expect(said(fromPicker([fileAt('.notes.txt')]))).toEqual(['.notes.txt'])
})

type Tree = { [name: string]: Tree | string }
const entryOf = (name: string, node: Tree | string): object =>
  typeof node === 'string'
    ? {
        name,
        isFile: true,
        isDirectory: false,
        file: (resolve: (file: File) => void) => resolve(new File([node], name)),
      }
    : {
        name,
        isFile: false,
        isDirectory: true,
        createReader: () => {
          // Like browsers: a few at a time, then none.
          const left = Object.entries(node).map(([inside, its]) => entryOf(inside, its))
          return { readEntries: (resolve: (some: object[]) => void) => resolve(left.splice(0, 2)) }
        },
      }

test('dropped folders are read completely, even with many entries', async () => {
  const tree: Tree = {
    papers: { 'a.pdf': '1', 'b.pdf': '2', old: { 'c.pdf': '3', '.DS_Store': '' }, 'd.pdf': '4', 'e.pdf': '5' },
  }
  const items = [
    { kind: 'file', webkitGetAsEntry: () => entryOf('papers', tree.papers ?? ''), getAsFile: () => null },
    { kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => new File(['x'], 'alone.txt') },
    { kind: 'string' },
  ]
  const placed = await fromTransfer({ items } as unknown as DataTransfer)
  expect(said(placed)).toEqual([
    'papers/a.pdf',
    'papers/b.pdf',
    'papers/old/c.pdf',
    'papers/d.pdf',
    'papers/e.pdf',
    'alone.txt',
  ])
})
