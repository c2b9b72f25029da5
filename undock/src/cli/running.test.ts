import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { processStart } from '../platform/process.ts'
import { lockPath } from '../runtime/place/state-folders.ts'
import { findBackend } from './arguments.ts'
import { findDatabase, findHolder, findRunning } from './running.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-running-'))
  await mkdir(dirname(lockPath(workdir)), { recursive: true })
  await writeFile(join(workdir, 'supabase', 'config.toml'), 'project_id = "test"')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(workdir, { recursive: true })
})

const backend = (name: string | null = null) => ({ workdir, name })
const started = {
  pid: process.pid,
  processStart: processStart(process.pid),
  startedAt: '2026-01-01T00:00:00Z',
  url: 'http://127.0.0.1:1',
}
const lockedBy = (holder: object) => writeFile(lockPath(workdir), JSON.stringify(holder))

test('finds a running backend with its URLs', async () => {
  const engine = { kind: 'native', title: 'PostgreSQL 17', reason: 'it is the default', remedy: null }
  await lockedBy({ ...started, engine, dbUrl: 'postgresql://127.0.0.1:2/postgres', mailUrl: null })
  expect(await findRunning(backend())).toMatchObject({ url: started.url, dbUrl: 'postgresql://127.0.0.1:2/postgres' })
})

test('a starting backend has no URLs yet and can be stopped', async () => {
  await lockedBy(started)
  await expect(findRunning(backend())).rejects.toThrow(`is still starting (process ${process.pid}`)
  expect(await findHolder(backend())).toEqual(started)
})

test('reports a killed backend as not running', async () => {
  await lockedBy({ ...started, pid: 2 ** 30 })
  await expect(findRunning(backend())).rejects.toThrow('is not running. Start it with `undock start`.')
})

test("doesn't mistake a process that reused a killed backend's pid for the backend", async () => {
  await lockedBy({ ...started, processStart: processStart(process.pid) })
  expect((await findHolder(backend())).pid).toBe(process.pid)
  await lockedBy({ ...started, processStart: 'long ago' })
  await expect(findHolder(backend())).rejects.toThrow('is not running. Start it with `undock start`.')
})

test('a named backend has its own lock, and suggested commands include its name', async () => {
  await lockedBy(started)
  await expect(findHolder(backend('two'))).rejects.toThrow(
    `The backend "two" of ${workdir} is not running. Start it with \`undock start --name two\`.`,
  )
  await mkdir(dirname(lockPath(workdir, 'two')), { recursive: true })
  await writeFile(lockPath(workdir, 'two'), JSON.stringify({ ...started, url: 'http://127.0.0.1:2' }))
  expect((await findHolder(backend('two'))).url).toBe('http://127.0.0.1:2')
  expect((await findHolder(backend())).url).toBe(started.url)
})

test('the option selects the backend, else UNDOCK_NAME', () => {
  expect(findBackend({ workdir })).toEqual({ workdir, name: null })
  vi.stubEnv('UNDOCK_NAME', 'two')
  expect(findBackend({ workdir })).toEqual({ workdir, name: 'two' })
  expect(findBackend({ workdir, name: 'three' })).toEqual({ workdir, name: 'three' })
  vi.stubEnv('UNDOCK_NAME', 'a/b')
  expect(() => findBackend({ workdir })).toThrow('"a/b" is not a valid name for a backend')
  vi.stubEnv('UNDOCK_NAME', '')
  expect(findBackend({ workdir })).toEqual({ workdir, name: null })
})

test('commands for a named backend never use another database', async () => {
  vi.stubEnv('SUPABASE_DB_URL', 'postgresql://127.0.0.1:3/postgres')
  expect((await findDatabase({ workdir })).url).toBe('postgresql://127.0.0.1:3/postgres')
  await expect(findDatabase({ workdir, name: 'two' })).rejects.toThrow('is not running')
  vi.stubEnv('SUPABASE_DB_URL', '')
  vi.stubEnv('UNDOCK_NAME', 'two')
  await expect(findDatabase({ workdir })).rejects.toThrow('is not running')
})
