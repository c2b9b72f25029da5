import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyTree } from './copy-tree.ts'

let folder: string
let from: string
let to: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-copy-'))
  from = join(folder, 'from')
  to = join(folder, 'to')
  await mkdir(join(from, 'below/pg_wal'), { recursive: true, mode: 0o700 })
  await writeFile(join(from, 'file'), 'text', { mode: 0o600 })
  await writeFile(join(from, 'below/pg_wal/file'), 'below')
})
afterEach(() => rm(folder, { recursive: true }))

test('copies files, empty folders and modes, and skips names only at the top level', async () => {
  await mkdir(join(from, 'empty'))
  await mkdir(join(from, 'pg_wal'))
  expect(await copyTree(from, to, { except: new Set(['pg_wal']) })).toBe(true)
  expect((await readdir(to, { recursive: true })).toSorted()).toEqual([
    'below',
    join('below', 'pg_wal'),
    join('below', 'pg_wal', 'file'),
    'empty',
    'file',
  ])
  const { mode, ino } = await stat(join(to, 'file'))
  expect(mode & 0o777).toBe(0o600)
  expect((await stat(join(to, 'below'))).mode & 0o777).toBe((await stat(join(from, 'below'))).mode & 0o777)
  expect(ino).not.toBe((await stat(join(from, 'file'))).ino)
})

test('hard-links immutable files, even if already linked', async () => {
  await copyTree(from, to, { isImmutable: true })
  await copyTree(from, to, { isImmutable: true })
  expect((await stat(join(to, 'file'))).ino).toBe((await stat(join(from, 'file'))).ino)
  await rm(join(from, 'file'))
  expect(await readFile(join(to, 'file'), 'utf8')).toBe('text')
})

test('ignores a missing folder and rejects a link', async () => {
  expect(await copyTree(join(folder, 'nothing'), to)).toBe(false)
  await symlink(folder, join(from, 'below/link'))
  await expect(copyTree(from, to)).rejects.toThrow('is neither a file nor a folder')
})
