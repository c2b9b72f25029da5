import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { makeEphemeralFolder, userCacheFolder } from '../../platform/folders.ts'
import { isAlive } from '../../platform/process.ts'
import { createDb } from '../engine-db.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { baseCluster, copyCluster } from './native-cluster.ts'
import { openServerEngine } from './server-engine.ts'

const lines: string[] = []

async function start(folder: string, port = 0): Promise<Cluster> {
  const options = {
    major: 17,
    folder,
    host: '127.0.0.1',
    port,
    isDurable: true,
    reservesSpace: true,
    settings: {},
  } as const
  const cluster = await startCluster({ ...options, log: (line) => lines.push(line) })
  onTestFinished(() => cluster.close())
  return cluster
}

const firstLine = (folder: string) => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])

async function openEngine({ address, addressAs }: Cluster) {
  const urlAs = addressAs && ((user: string) => `${addressAs(user)}/undock_base`)
  const engine = await openServerEngine({
    url: `${address}/undock_base`,
    urlAs,
    statementLimit: 30_000,
    waitLimit: 10_000,
  })
  onTestFinished(() => engine.close())
  return createDb(engine)
}

const count = { text: 'select count(*)::int as n from public.kept', values: [] }

test('restarts a killed server with all acknowledged data', async () => {
  const folder = await makeEphemeralFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await copyCluster(await baseCluster(userCacheFolder(process.env), 17, () => undefined), folder)
  const cluster = await start(folder)
  const db = await openEngine(cluster)
  await db.exec('create table public.kept as select 1 as id')
  for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const) {
    const pid = firstLine(folder)
    process.kill(pid, signal)
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
    const states = new Set<unknown>()
    await expect
      .poll(
        () =>
          db.query(count).then(
            ({ rows }) => rows[0]?.n,
            ({ code }) => states.add(code) && code,
          ),
        { timeout: 30_000 },
      )
      .toBe(1)
    for (const code of states) expect(code).toMatch(/^57P0[123]$/)
  }
  expect(lines.join('\n')).toContain('The database server accepts connections again')
})

test('a closed server stays closed', async () => {
  const folder = await makeEphemeralFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await copyCluster(await baseCluster(userCacheFolder(process.env), 17, () => undefined), folder)
  const cluster = await start(folder)
  const pid = firstLine(folder)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
  await cluster.close()
  const server = createServer().listen(cluster.port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
})

function smallDisk(): string | null {
  if (process.platform !== 'linux') return null
  const folder = mkdtempSync(join(tmpdir(), 'undock-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=711', 'tmpfs', folder]).status === 0) return folder
  rmdirSync(folder)
  return null
}
const disk = smallDisk()

test.skipIf(disk === null)('a full disk fails writes with 53100 and loses nothing', async () => {
  const folder = join(disk ?? '', 'data')
  onTestFinished(() => {
    spawnSync('umount', ['-l', disk ?? ''])
    rmdirSync(disk ?? '')
  })
  const base = await baseCluster(userCacheFolder(process.env), 17, () => undefined)
  await copyCluster(base, folder)
  const cluster = await start(folder)
  const db = await openEngine(cluster)
  await db.exec('create table public.kept as select 1 as id')
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(disk ?? '', 'other'), Buffer.alloc(bavail * bsize - 2_000_000))
  const client = new pg.Client(`${cluster.publicAddress}/undock_base`)
  client.on('error', () => undefined)
  await client.connect()
  let acknowledged = 1
  let refusal: { code?: string } | null = null
  while (!refusal) {
    await client.query('insert into public.kept select 2 from generate_series(1, 10000)').then(
      () => {
        acknowledged += 10_000
      },
      (error) => {
        refusal = error
      },
    )
  }
  expect(refusal).toMatchObject({ code: '53100' })
  await client.end().catch(() => undefined)
  await expect
    .poll(
      () =>
        db.query(count).then(
          ({ rows }) => rows[0]?.n,
          () => null,
        ),
      { timeout: 30_000 },
    )
    .toBe(acknowledged)
  await expect(copyCluster(base, join(disk ?? '', 'second'))).rejects.toThrow(
    /^[^\n]*cannot be written, because the disk is full: free some space and start again\.$/,
  )
})
