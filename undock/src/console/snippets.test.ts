import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSnippets, type Snippets } from './snippets.ts'

let folder: string
let snippets: Snippets
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-snippets-'))
  snippets = createSnippets(folder)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const names = async () => (await snippets.list()).snippets.map(({ name }) => name)
const onDisk = (name: string) => join(folder, 'snippets', name)

test('a snippet is a file; its folders are created and removed with it', async () => {
  expect(await snippets.list()).toEqual({ snippets: [], isPartial: false })
  const saved = await snippets.save('reports/Größe je Tag', 'select 1', null)
  expect(await readFile(onDisk('reports/Größe je Tag.sql'), 'utf8')).toBe('select 1')
  expect(await snippets.read('reports/Größe je Tag')).toEqual(saved)
  await snippets.save('reports/Größe je Tag', 'select 2', saved.version)
  await snippets.rename('reports/Größe je Tag', 'size')
  expect([await names(), await readdir(onDisk(''))]).toEqual([['size'], ['size.sql']])
  await snippets.remove('size')
  expect(await names()).toEqual([])
  await expect(snippets.read('size')).rejects.toMatchObject({ status: 404 })
})

test("doesn't overwrite a file that was changed, created or deleted meanwhile", async () => {
  const { version } = await snippets.save('one', 'select 1', null)
  await expect(snippets.save('one', 'select 2', null)).rejects.toThrow('supabase/snippets/one.sql exists already.')
  await writeFile(onDisk('one.sql'), 'select 3')
  await expect(snippets.save('one', 'select 2', version)).rejects.toThrow('was changed by another program')
  await snippets.save('two', '', null)
  await expect(snippets.rename('one', 'two')).rejects.toMatchObject({ status: 409 })
  expect(await readFile(onDisk('one.sql'), 'utf8')).toBe('select 3')
  await rm(onDisk('one.sql'))
  await expect(snippets.save('one', 'select 2', version)).rejects.toThrow('was deleted or renamed')
  const { version: read } = await snippets.read('two')
  const both = await Promise.allSettled([snippets.save('two', 'a', read), snippets.save('two', 'b', read)])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test.each(['../x', 'a/../../x', '/etc/x', 'C:x', '.hidden', 'a//b', 'a\\b', 'a\0b', '', 'x'.repeat(200), 'ends '])(
  'rejects the name %j',
  async (name) => {
    await expect(snippets.save(name, 'select 1', null)).rejects.toMatchObject({ status: 400 })
    await expect(snippets.read(name)).rejects.toMatchObject({ status: 400 })
  },
)

test("doesn't follow links, and keeps line endings", async () => {
  await mkdir(onDisk(''), { recursive: true })
  await writeFile(join(folder, 'secret.sql'), 'secret')
  await symlink(folder, onDisk('above'))
  await symlink(join(folder, 'secret.sql'), onDisk('link.sql'))
  await writeFile(onDisk('windows.sql'), 'select 1;\r\nselect 2')
  expect(await names()).toEqual(['windows'])
  await expect(snippets.read('above/secret')).rejects.toMatchObject({ status: 400 })
  await expect(snippets.read('link')).rejects.toMatchObject({ status: 409 })
  await expect(snippets.save('link', '', null)).rejects.toMatchObject({ status: 409 })
  const { version } = await snippets.read('windows')
  await snippets.save('windows', 'select 1;\nselect 3', version)
  expect(await readFile(onDisk('windows.sql'), 'utf8')).toBe('select 1;\r\nselect 3')
})

test("doesn't open large or binary files", async () => {
  await expect(snippets.save('large', 'x'.repeat(600_000), null)).rejects.toMatchObject({ status: 413 })
  await mkdir(onDisk(''), { recursive: true })
  await writeFile(onDisk('binary.sql'), Buffer.from([0xff, 0xfe, 0x00]))
  await expect(snippets.read('binary')).rejects.toMatchObject({ status: 422 })
})
