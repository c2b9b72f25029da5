import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processStart } from '../kernel/process.ts'
import { lockPath } from '../runtime/state-folders.ts'
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

test('a running backend is found with its addresses', async () => {
  await lockedBy({ ...started, dbUrl: 'postgresql://127.0.0.1:2/postgres', mailUrl: null })
  expect(await findRunning(workdir)).toMatchObject({ url: started.url, dbUrl: 'postgresql://127.0.0.1:2/postgres' })
})

test('a backend that is starting has no addresses yet, and can be stopped', async () => {
  await lockedBy(started)
  await expect(findRunning(workdir)).rejects.toThrow(`is being started by process ${process.pid}`)
  expect(await findHolder(workdir)).toEqual(started)
})

test('a killed backend is reported as not running', async () => {
  await lockedBy({ ...started, pid: 2 ** 30 })
  await expect(findRunning(workdir)).rejects.toThrow('is not running. Start it with `undock start`.')
})

test('another process that got the process id of a killed backend is not the backend', async () => {
  await lockedBy({ ...started, processStart: processStart(process.pid) })
  expect((await findHolder(workdir)).pid).toBe(process.pid)
  await lockedBy({ ...started, processStart: 'long ago' })
  await expect(findHolder(workdir)).rejects.toThrow('is not running. Start it with `undock start`.')
})
