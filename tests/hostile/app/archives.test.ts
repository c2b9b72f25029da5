// Malicious archives: zip bombs, false sizes, path traversal, thousands of entries.
import { deflateRawSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { openArchive } from '../../../src/features/transfer/archive.ts'
import { fromNotion } from '../../../src/features/transfer/foreign/notion.ts'
import { fromPaperless } from '../../../src/features/transfer/foreign/paperless.ts'
import { parseReferences } from '../../../src/features/transfer/references.ts'

const blob = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)])
const opened = (bytes: Uint8Array) => openArchive(blob(bytes))
const TOO_LARGE = /too large/
const NO_ZIP = /ZIP can’t be opened/
const PAGE = '0123456789abcdef0123456789abcdef'

/** A ZIP of one entry with arbitrary header values. */
type Entry = { name?: string; bytes?: Uint8Array; size?: number; entries?: number; method?: number }
function zipOf({ name = 'a.txt', bytes = strToU8('x'.repeat(100)), size, entries = 1, method = 8 }: Entry) {
  const packed = method === 8 ? deflateRawSync(bytes) : bytes
  const title = strToU8(name)
  const header = (signature: number, length: number) => {
    const view = new DataView(new ArrayBuffer(length))
    const at = signature === 0x02014b50 ? 2 : 0
    view.setUint32(0, signature, true)
    view.setUint16(8 + at, method, true)
    view.setUint32(18 + at, packed.length, true)
    view.setUint32(22 + at, size ?? bytes.length, true)
    view.setUint16(26 + at, title.length, true)
    return new Uint8Array(view.buffer)
  }
  const local = [header(0x04034b50, 30), title, packed]
  // All entries share one file, like the best bombs.
  const directory = Array.from({ length: entries }, () => [header(0x02014b50, 46), title]).flat()
  const lengthOf = (parts: Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0)
  const end = new DataView(new ArrayBuffer(22))
  end.setUint32(0, 0x06054b50, true)
  end.setUint16(8, entries, true)
  end.setUint16(10, entries, true)
  end.setUint32(12, lengthOf(directory), true)
  end.setUint32(16, lengthOf(local), true)
  return new Uint8Array(Buffer.concat([...local, ...directory, new Uint8Array(end.buffer)]))
}

test('a zip bomb is rejected by its declared size, before unpacking', async () => {
  const zeros = new Uint8Array(1024 ** 2)
  await expect(opened(zipOf({ bytes: zeros, size: 60 * 1024 ** 2 }))).rejects.toThrow(TOO_LARGE)
  await expect(opened(zipOf({ bytes: zeros, size: 50 * 1024 ** 2, entries: 50 }))).rejects.toThrow(TOO_LARGE)
  // Unpacking the first would fail.
  await expect(opened(zipOf({ method: 99, size: 1, entries: 50_001 }))).rejects.toThrow(TOO_LARGE)
})

test('a wrong declared size is not trusted', async () => {
  const zeros = new Uint8Array(40 * 1024 ** 2)
  const result = await opened(zipOf({ bytes: zeros, size: 10 })).catch((error: Error) => error)
  if (result instanceof Error) expect(result.message).toMatch(NO_ZIP)
  else expect([...result.files.values()].map(({ length }) => length)).toEqual([10])
})

test('files that are no archive, truncated or damaged are reported', async () => {
  const whole = zipSync({ 'a.txt': strToU8('words'.repeat(1000)), 'b.txt': strToU8('more') })
  for (const bytes of [new Uint8Array(), strToU8('PK'), whole.slice(0, -10), whole.slice(0, 30), zipOf({ method: 99 })])
    await expect(opened(bytes)).rejects.toThrow(NO_ZIP)
})

test('path traversal, hidden files and names like Object.prototype members are harmless', async () => {
  const names = [
    '../../up.txt',
    '/root.txt',
    'C:\\a.txt',
    '__proto__',
    'constructor',
    'toString',
    'a/../../b.txt',
    'a\u0000b.txt',
  ]
  for (const name of names) {
    const { files, manifest } = await opened(zipOf({ name }))
    expect(manifest).toBeUndefined()
    expect([...files.keys()].filter((key) => key !== name)).toEqual([])
  }
  expect(({} as Record<string, unknown>).length).toBeUndefined()
  expect((await opened(zipSync({ '.git/config': strToU8('x'), '__MACOSX/a': strToU8('x') }))).files.size).toBe(0)
})

test('an invalid export manifest is rejected, whatever its numbers or nesting', async () => {
  const listed = (text: string) => opened(zipSync({ 'carrel.json': strToU8(text) }))
  for (const text of [
    '',
    '[]',
    '{"format":"carrel-library","version":2}',
    '['.repeat(200_000),
    '{"__proto__":{"version":1}}',
  ])
    await expect(listed(text)).rejects.toThrow(/carrel\.json, can’t be read/)
})

test('nested parts are unpacked only to a limited depth', async () => {
  let part = zipSync({ 'a.txt': strToU8('words') })
  for (let depth = 0; depth < 10; depth++) part = zipSync({ [`Export-Part-${depth}.zip`]: part })
  expect((await opened(part)).files.size).toBe(1)
})

test('Notion pages only link within the export, and can be nested deeply', async () => {
  const deep = `${'folder/'.repeat(500)}Page ${PAGE}.md`
  const links = [
    '../../../../etc/passwd',
    '%2e%2e%2fsecret',
    'javascript:alert(1)',
    '//evil.example/x',
    '%',
    'a'.repeat(50_000),
  ]
  const page = `# Title\n${links.map((link) => `[x](${link}) ![y](${link})`).join('\n')}`
  const read = await fromNotion(new Map([[deep, strToU8(page)]]))
  expect(read?.manifest.collections.length).toBe(500)
  const text = new TextDecoder().decode([...(read?.files.values() ?? [])][0])
  expect(text).not.toContain('/d/')
  for (const unclosed of ['[x]('.repeat(20_000), `[x](${'('.repeat(20_000)}`, '!['.repeat(20_000)])
    expect((await fromNotion(new Map([[`P ${PAGE}.md`, strToU8(unclosed)]])))?.manifest.documents.length).toBe(1)
})

test('Paperless entries with paths outside the export have no file', () => {
  const row = {
    model: 'documents.document',
    pk: 1,
    fields: { title: 'x', tags: [99], correspondent: 99 },
    __exported_file_name__: '../../etc/passwd',
  }
  const read = fromPaperless(new Map([['manifest.json', strToU8(JSON.stringify([row]))]]))
  expect(read?.files.has('../../etc/passwd')).toBe(false)
  expect(fromPaperless(new Map([['manifest.json', strToU8('[{"model":"documents.document"}]')]]))).toBeUndefined()
})

test('malformed references are parsed in linear time', () => {
  for (const text of [
    '@article{'.repeat(30_000),
    `@article{a, title = {${'{'.repeat(30_000)}`,
    'TY  - JOUR\nTI  - x\n'.repeat(10_000),
  ])
    expect(() => parseReferences(text)).not.toThrow()
})
