import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockPath } from '../state-folders.ts'
import { findHolder, findRunning } from './running.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-running-'))
  await mkdir(dirname(lockPath(workdir)), { recursive: true })
  await writeFile(join(workdir, 'supabase', 'config.toml'), 'project_id = "test"')
})
afterEach(() => rm(workdir, { recursive: true }))

const started = { pid: process.pid, startedAt: '2026-01-01T00:00:00Z', url: 'http://127.0.0.1:1' }
const lockedBy = (holder: object) => writeFile(lockPath(workdir), JSON.stringify(holder))

test('what runs is found with its addresses', async () => {
  await lockedBy({ ...started, dbUrl: 'postgresql://127.0.0.1:2/postgres', mailUrl: null })
  expect(await findRunning(workdir)).toMatchObject({ url: started.url, dbUrl: 'postgresql://127.0.0.1:2/postgres' })
})

test('what is being started has no addresses yet, and can be stopped', async () => {
  await lockedBy(started)
  await expect(findRunning(workdir)).rejects.toThrow(`is being started by process ${process.pid}`)
  expect(await findHolder(workdir)).toEqual(started)
})

test('what was killed runs no more', async () => {
  await lockedBy({ ...started, pid: 2 ** 30 })
  await expect(findRunning(workdir)).rejects.toThrow('is not running. Start it with `undock start`.')
})
