import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { processStart } from '../../platform/process.ts'
import { acquireLock, LockedError, readHolder } from './lock.ts'

const system = vi.hoisted(() => ({ isSilent: false }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const readFileSync = (...args: Parameters<typeof fs.readFileSync>) => {
    if (system.isSilent) throw new Error('too many open files')
    return fs.readFileSync(...args)
  }
  return { ...fs, readFileSync }
})

const holder = {
  pid: process.pid,
  processStart: processStart(process.pid),
  name: null,
  url: 'http://127.0.0.1:54321',
  startedAt: '2026-11-20T12:00:00.000Z',
}
const lockPath = async () => join(await mkdtemp(join(tmpdir(), 'undock-lock-')), 'state', 'lock')

test('tells a second process who holds the lock; releasing frees it', async () => {
  const path = await lockPath()
  const lock = await acquireLock(path, holder)
  await expect(acquireLock(path, holder)).rejects.toThrow(LockedError)
  expect(await readHolder(path)).toEqual(holder)
  await lock.update({ ...holder, mailUrl: null })
  expect(await readHolder(path)).toEqual({ ...holder, mailUrl: null })
  await lock.release()
  await (await acquireLock(path, holder)).release()
})

test('takes over the lock of a killed process', async () => {
  const path = await lockPath()
  await (await acquireLock(path, holder)).release()
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await writeFile(path, JSON.stringify({ ...holder, pid }))
  expect(await readHolder(path)).toBeNull()
  await writeFile(path, JSON.stringify({ ...holder, processStart: 'long ago' }))
  expect(await readHolder(path)).toBeNull()
  await acquireLock(path, holder)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(holder)
})

test.runIf(process.platform === 'linux').each([
  ['a process without its start time', { pid: process.pid, processStart: undefined }],
  ['the process group', { pid: 0, processStart: undefined }],
  ['all processes', { pid: -1, processStart: undefined }],
  ['no process', { pid: 'all', processStart: undefined }],
])('ignores a lock that names %s', async (_name, named) => {
  const path = await lockPath()
  await (await acquireLock(path, holder)).release()
  await writeFile(path, JSON.stringify({ ...holder, ...named }))
  expect(await readHolder(path)).toBeNull()
  await (await acquireLock(path, holder)).release()
})

test.runIf(process.platform === 'linux')(
  "keeps a lock while the system can't tell whether its process runs",
  async () => {
    const path = await lockPath()
    const lock = await acquireLock(path, holder)
    system.isSilent = true
    await expect(acquireLock(path, holder)).rejects.toThrow(LockedError)
    system.isSilent = false
    await lock.release()
  },
)
