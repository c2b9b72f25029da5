import { expect, test } from 'vitest'
import { ancestorsOf, encodeKey, folderOf, nameOf, previewKind, sizeText, toFolder } from './keys.ts'

test('splits a key into name and folder', () => {
  expect([nameOf('a/b/c.txt'), folderOf('a/b/c.txt')]).toEqual(['c.txt', 'a/b/'])
  expect([nameOf('a/b/'), folderOf('a/b/')]).toEqual(['b', 'a/'])
  expect([nameOf('c.txt'), folderOf('c.txt')]).toEqual(['c.txt', ''])
  expect(ancestorsOf('a/b/')).toEqual([
    { name: 'a', path: 'a/' },
    { name: 'b', path: 'a/b/' },
  ])
  expect(['/a//b', 'a/b/', '', '/'].map(toFolder)).toEqual(['a/b/', 'a/b/', '', ''])
})

test('encodes each part of a key but not the slashes', () => {
  expect(encodeKey('a b/c#?%.txt')).toBe('a%20b/c%23%3F%25.txt')
})

test('previews only content that a browser displays without running it', () => {
  expect(previewKind('a.html', 'text/html; charset=utf-8')).toBe('text')
  expect(previewKind('a.svg', 'image/svg+xml')).toBe('image')
  expect(previewKind('a.pdf', 'application/pdf')).toBe('pdf')
  expect(previewKind('a.csv', 'application/octet-stream')).toBe('text')
  expect(previewKind('a.zip', 'application/zip')).toBe(null)
})

test('formats sizes as storage parses them', () => {
  expect([sizeText(50_000_000), sizeText(1_500), sizeText(2_000_000_000)]).toEqual(['50MB', '1500B', '2GB'])
})
