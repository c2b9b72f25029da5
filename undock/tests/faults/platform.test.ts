import { once } from 'node:events'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { randomFrom } from '../support/random.ts'
import { remount, startOnSmallDisk } from '../support/small-disk.ts'
import { end, endRunning, startUndock, undock, undockUnprivileged } from '../support/undock.ts'
import { Acknowledged, clientOf, expectLive, MIXED_PROJECT } from './mixed-load.ts'

const KILLS = Number(process.env.FAULTS_KILLS ?? 200)
const SEED = Number(process.env.FAULTS_SEED ?? 1)

/** The environment of tests without functions. */
const PLAIN = { ...MIXED_PROJECT, 'config.toml': '[edge_runtime]\nenabled = false\n' }

let project: TestProject | undefined
afterEach(async () => {
  await endRunning()
  await project?.remove()
})

describe('on PostgreSQL', () => {
  test(`serves all acknowledged data after ${KILLS} kills under mixed load`, async () => {
    project = await makeProject(MIXED_PROJECT)
    const stack = project
    const random = randomFrom(SEED)
    const known = new Acknowledged()
    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startUndock(stack)
      // Checking only every tenth start keeps hundreds of kills within minutes.
      if (kill % 10 === 0) await known.check(stack)
      let isOn = true
      const load = [1, 2, 3].map((one) => known.load(stack, `${kill}-${one}`, () => isOn))
      // The moment depends on the completed work, so a slow machine is killed in the middle of it, too.
      const enough = known.count + Math.floor(random() * 20)
      while (known.count < enough) await wait(5)
      await wait(random() * 100)
      isOn = false
      await end(running, 'SIGKILL')
      await Promise.all(load)
    }
    const running = await startUndock(stack)
    await known.check(stack)
    await expectLive(stack, 'last')
    // Each service took part in the load.
    for (const count of [known.rows.size, known.files.size, known.users.size, known.byFunctions, known.heard])
      expect(count).toBeGreaterThan(KILLS / 20)
    await end(running, 'SIGTERM')
  }, 7_200_000)

  test('a failed migration is rolled back, at the first start and at a reset', async () => {
    const bad = 'create table public.half (id int); insert into nowhere values (1);'
    project = await makeProject({ ...PLAIN, 'migrations/2_bad.sql': bad })
    const first = await undock(project, 'start')
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('2_bad.sql:1')])
    await project.write('migrations/2_bad.sql', 'select 1')
    const running = await startUndock(project)
    const client = clientOf(project)
    expect((await client.from('entries').insert({ id: 'kept', body: '' })).error).toBeNull()
    await project.write('migrations/2_bad.sql', bad)
    expect((await undock(project, 'reset')).code).toBe(1)
    expect((await client.from('entries').select('id')).data).toEqual([{ id: 'kept' }])
    expect((await client.from('half').select()).error?.code).toBe('PGRST205')
    await end(running, 'SIGTERM')
  }, 300_000)
})

test('reports a full disk, and continues with all acknowledged data once there is space', async (context) => {
  project = await makeProject(PLAIN)
  const child = await startOnSmallDisk(project, '.', '220m')
  if (!child) return context.skip('no small file system can be mounted here')
  const stopped = once(child, 'exit')
  const client = clientOf(project)
  const connectionString = `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`
  const direct = new pg.Client({ connectionString })
  // The client is disconnected when the engine reopens.
  direct.on('error', () => undefined)
  try {
    expect((await client.from('entries').insert({ id: 'kept', body: '' })).error).toBeNull()
    await direct.connect()
    // Postgres can't continue without space for the write-ahead log; whether this client or a service notices is random.
    const fill = `select pg_logical_emit_message(false, 'x', repeat('a', 1000000), true)`
    await expect(
      (async () => {
        for (;;) await direct.query(fill)
      })(),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(53100|57P0[13])$/) })
    await expect
      .poll(async () => (await client.from('entries').insert({ id: 'refused', body: '' })).error, { timeout: 60_000 })
      .toMatchObject({ code: '57P03', hint: expect.stringContaining('The disk may be full') })
    await remount(project, 'size=400m')
    await expect
      .poll(async () => (await client.from('entries').select('id').eq('id', 'kept')).data, { timeout: 60_000 })
      .toEqual([{ id: 'kept' }])
    expect((await client.from('entries').insert({ id: 'after', body: '' })).error).toBeNull()
    expect((await client.auth.admin.createUser({ email: 'after@example.com' })).error).toBeNull()
  } finally {
    await direct.end().catch(() => undefined)
    child.kill('SIGKILL')
    await stopped
  }
}, 300_000)

test("a full disk on native fails writes that don't fit and keeps all acknowledged data", async (context) => {
  project = await makeProject({
    ...PLAIN,
    'undock.toml': 'engine = "native"',
    'migrations/2_heaps.sql':
      'create table public.heaps (body text); alter table public.heaps alter body set storage external;',
  })
  const child = await startOnSmallDisk(project, '.', '300m')
  if (!child) return context.skip('no small file system can be mounted here')
  const stopped = once(child, 'exit')
  const client = clientOf(project)
  try {
    expect((await client.from('entries').insert({ id: 'kept', body: '' })).error).toBeNull()
    let full: { code: string } | null = null
    while (!full) full = (await client.from('heaps').insert({ body: 'a'.repeat(4_000_000) })).error
    expect(full.code).toMatch(/^(53100|57P0[123])$/)
    await remount(project, 'size=900m')
    await expect
      .poll(async () => (await client.from('entries').select('id').eq('id', 'kept')).data, { timeout: 60_000 })
      .toEqual([{ id: 'kept' }])
    await expect
      .poll(async () => (await client.from('entries').insert({ id: 'after', body: '' })).error, { timeout: 60_000 })
      .toBeNull()
    expect((await client.auth.admin.createUser({ email: 'after@example.com' })).error).toBeNull()
  } finally {
    child.kill('SIGKILL')
    await stopped
  }
}, 300_000)

test('reports an unwritable folder', async (context) => {
  project = await makeProject(PLAIN)
  const folder = join(project.folder, 'supabase')
  await chmod(folder, 0o555)
  const outcome = await undockUnprivileged(project, 'start')
  await chmod(folder, 0o755)
  if (!outcome) return context.skip('root may write everywhere')
  const told = `Couldn't use ${join(folder, '.undock')}: permission denied (EACCES).`
  expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining(told)])
  expect(outcome.stderr).not.toContain('    at ')
  expect(await readdir(folder)).not.toContain('.undock')
})

test('leaves read-only data unchanged', async (context) => {
  project = await makeProject(PLAIN)
  const first = await startUndock(project)
  expect((await clientOf(project).from('entries').insert({ id: 'kept', body: '' })).error).toBeNull()
  await end(first, 'SIGTERM')
  const folder = join(project.folder, 'supabase', '.undock')
  await chmod(folder, 0o555)
  const outcome = await undockUnprivileged(project, 'start')
  await chmod(folder, 0o755)
  if (!outcome) return context.skip('root may write everywhere')
  expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining('EACCES')])
  const again = await startUndock(project)
  expect((await clientOf(project).from('entries').select('id')).data).toEqual([{ id: 'kept' }])
  await end(again, 'SIGTERM')
})
