import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LockedError } from '../../database/project/lock.ts'
import { processStart } from '../../platform/process.ts'
import { forgetSleeping, listBackends, listStacks, publishRecord, type StackRecord } from './record.ts'
import { stateFolder } from './state-folders.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-record-'))
})
afterEach(() => rm(folder, { recursive: true }))

const record = (name: string, more: Partial<StackRecord> = {}): StackRecord => ({
  pid: process.pid,
  processStart: processStart(process.pid),
  startedAt: '2026-11-20T12:00:00.000Z',
  url: 'http://127.0.0.1:54321',
  workdir: join(folder, name),
  name: null,
  ports: [],
  ...more,
})

const publish = (one: StackRecord, unlisted: string[] = []) =>
  publishRecord(one, {
    lockPath: join(one.workdir, 'lock'),
    cacheFolder: join(folder, 'cache'),
    onUnlisted: ({ message }) => unlisted.push(message),
  })
const listed = () => listStacks(join(folder, 'cache'))
const entries = () => readdir(join(folder, 'cache', 'running'))

test('lists stacks from start to stop, oldest first', async () => {
  expect(await listed()).toEqual([])
  const [second, first] = [record('b'), record('a', { startedAt: '2026-11-20T11:00:00.000Z' })]
  const published = await publish(second)
  await (await publish(first)).update({ dbUrl: 'postgresql://127.0.0.1:1/postgres' })
  expect(await listed()).toEqual([{ ...first, dbUrl: 'postgresql://127.0.0.1:1/postgres' }, second])
  await published.remove()
  expect((await listed()).map(({ workdir }) => workdir)).toEqual([first.workdir])
  await expect(publish(first)).rejects.toThrow(LockedError)
  await (await publish(second)).remove()
})

test('removes entries of killed stacks, even if another process reused the pid', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await publish(record('killed', { pid }))
  await publish(record('reused', { processStart: 'long ago' }))
  await publish(record('truncated'))
  const names = await entries()
  expect(names).toHaveLength(3)
  const truncated = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, 'cache', 'running', name)
      return (await readFile(path, 'utf8')).includes('truncated') ? path : []
    }),
  )
  for (const path of truncated.flat()) await writeFile(path, '{"pid":')
  expect(await listed()).toEqual([])
  expect(await entries()).toEqual([])
})

test('only its user can read an entry, because the database URL contains a password', async () => {
  await publish(record('a'))
  const [name = ''] = await entries()
  expect((await stat(join(folder, 'cache', 'running', name))).mode & 0o777).toBe(0o600)
})

test("a stack whose entry can't be written still runs", async () => {
  await writeFile(join(folder, 'cache'), 'a file, not a folder')
  const unlisted: string[] = []
  const published = await publish(record('a'), unlisted)
  expect(unlisted).toEqual([expect.stringContaining('ENOTDIR')])
  await published.update({ mailUrl: null })
  await published.remove()
  expect(await listed()).toEqual([])
})

test('a stack is asleep from when it says so until another start is ready, or it is forgotten', async () => {
  const cacheFolder = join(folder, 'cache')
  const states = async () => (await listBackends(cacheFolder)).map((one) => ('asleep' in one ? 'asleep' : 'awake'))
  const asleep = { command: ['node', 'main.js'], env: {}, since: '2026-11-20T13:00:00.000Z', wakeAt: null }
  const one = record('sleeper')
  await mkdir(stateFolder(one.workdir), { recursive: true })
  const first = await publish(one)
  await first.update({ dbUrl: 'postgresql://127.0.0.1:1/postgres' })
  const awake = await first.fallAsleep(asleep)
  expect(await states()).toEqual(['asleep'])
  await awake()
  expect(await states()).toEqual(['awake'])
  await first.fallAsleep(asleep)
  await first.remove()
  expect(await listBackends(cacheFolder)).toMatchObject([
    { ...one, dbUrl: 'postgresql://127.0.0.1:1/postgres', asleep },
  ])

  const second = await publish({ ...one, startedAt: '2026-11-20T14:00:00.000Z' })
  expect(second.asleepSince).toEqual(new Date(asleep.since))
  expect(await states()).toEqual(['asleep'])
  await second.update({ dbUrl: 'postgresql://127.0.0.1:1/postgres' })
  expect(await states()).toEqual(['awake'])
  await second.fallAsleep(asleep)
  await second.remove()
  expect([await forgetSleeping(cacheFolder, one), await forgetSleeping(cacheFolder, one)]).toEqual([true, false])
  expect(await listBackends(cacheFolder)).toEqual([])
})
