import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from './folders.ts'

test('removes only folders of ended processes', () => {
  const parent = mkdtempSync(join(tmpdir(), 'folders-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const name = (owner: number | string, purpose = 'pg-') => join(parent, `undock-${purpose}${owner}-x`)
  const all = [
    name(ended),
    name(ended, ''),
    name(ended, 'run-'),
    name(process.pid),
    name('notes'),
    join(parent, 'other'),
  ]
  for (const folder of all) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), '')
  }
  const made = makeTemporaryFolder('pg', parent)
  expect(all.map((folder) => existsSync(folder))).toEqual([false, false, false, true, true, true])
  expect(made.startsWith(join(parent, `undock-pg-${process.pid}-`))).toBe(true)
})
