import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTar, writeTar } from './tar.ts'

const ENTRIES = [
  { path: 'base', bytes: null },
  { path: 'base/5', bytes: null },
  { path: 'base/5/empty', bytes: Buffer.alloc(0) },
  { path: 'base/5/block', bytes: Buffer.alloc(512, 1) },
  { path: 'base/5/more', bytes: Buffer.alloc(513, 2) },
  { path: 'PG_VERSION', bytes: Buffer.from('18\n') },
]

test('writes archives that other programs can read too', () => {
  const tar = Buffer.concat([...writeTar(ENTRIES)])
  expect([...readTar(tar)]).toEqual(ENTRIES)
  const folder = mkdtempSync(join(tmpdir(), 'undock-tar-'))
  writeFileSync(join(folder, 'a.tar'), tar)
  const listed = execFileSync('tar', ['tf', join(folder, 'a.tar')], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(listed.replaceAll('/\n', '\n').trim().split('\n')).toEqual(ENTRIES.map(({ path }) => path))
})

test('rejects a path too long for the format', () => {
  expect(() => [...writeTar([{ path: 'a'.repeat(101), bytes: null }])]).toThrow('A path is too long')
})
