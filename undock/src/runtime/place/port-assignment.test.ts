import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { assignPorts } from './port-assignment.ts'
import { publishRecord } from './record.ts'
import { portsPath } from './state-folders.ts'

// Tries blocks of ports in order instead of at random.
let block = 0
vi.mock('node:crypto', async (original) => ({ ...(await original<object>()), randomInt: () => block++ }))

const HOST = '127.0.0.1'
const CONFIGURED = { api: 54321, database: 54322, studio: 54323, mail: 54324, smtp: 0, pooler: 0 }

let folder: string
let workdir: string
beforeEach(async () => {
  block = 0
  folder = await mkdtemp(join(tmpdir(), 'undock-ports-'))
  workdir = join(folder, 'project')
  for (const name of [null, 'one', 'two', 'three']) await mkdir(dirname(portsPath(workdir, name)), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const assign = (name: string | null, configured = CONFIGURED) =>
  assignPorts({ workdir, name, configured, host: HOST, cacheFolder: join(folder, 'cache') })

test('the default backend uses the ports of config.toml', async () => {
  expect(await assign(null)).toBeNull()
})

test('named backends get different ports, the same at each start', async () => {
  const [one, two] = [await assign('one'), await assign('two')]
  expect(one?.ports.api).toBeGreaterThan(20_000)
  const { api = 0 } = one?.ports ?? {}
  expect(one).toEqual({
    ports: { api, database: api + 1, studio: api + 2, mail: api + 3, smtp: api + 4, pooler: api + 8 },
    file: portsPath(workdir, 'one'),
    reason: 'named',
  })
  expect(two?.ports.api).toBeGreaterThan(api)
  expect([await assign('one'), await assign('two')]).toEqual([one, two])
})

test('avoids ports of config.toml, other backends, running stacks and other programs', async () => {
  await writeFile(
    portsPath(workdir, 'two'),
    '{ "api": 20011, "database": 20012, "mail": 20014, "smtp": 20015, "pooler": 20019 }',
  )
  await publishRecord(
    { pid: process.pid, name: null, workdir: '/elsewhere', startedAt: '', url: '', ports: [20_024] },
    {
      lockPath: join(folder, 'lock'),
      cacheFolder: join(folder, 'cache'),
      onUnlisted: (error) => expect.fail(error.message),
    },
  )
  const server = createServer().listen(20_032, HOST)
  await once(server, 'listening')
  const assigned = await assign('one', { ...CONFIGURED, smtp: 20_005 })
  server.close()
  expect(assigned?.ports.api).toBeGreaterThan(20_040)
})

test.each(['', '{', '{ "api": 1 }', '{ "api": 0, "database": 20012, "mail": 20014, "smtp": 20015, "pooler": 20019 }'])(
  'replaces a file with incomplete ports: %s',
  async (text) => {
    await writeFile(portsPath(workdir, 'one'), text)
    const first = await assign('one')
    expect(first?.ports.api).toBeGreaterThan(20_000)
    expect(await assign('one')).toEqual(first)
  },
)

describe('in a linked worktree', () => {
  const other = (ports: readonly number[]) =>
    publishRecord(
      { pid: process.pid, name: null, workdir: '/first', startedAt: '', url: '', ports },
      {
        lockPath: join(folder, 'lock'),
        cacheFolder: join(folder, 'cache'),
        onUnlisted: (error) => expect.fail(error.message),
      },
    )
  beforeEach(() => writeFile(join(workdir, '.git'), 'gitdir: /first/.git/worktrees/project\n'))

  test('uses the ports of config.toml unless another stack has them', async () => {
    expect(await assign(null)).toBeNull()
    await other([1])
    expect(await assign(null)).toBeNull()
  })

  test('uses other ports if one is taken, and keeps them while free', async () => {
    const first = await other([CONFIGURED.database])
    const moved = await assign(null)
    expect(moved).toMatchObject({ file: portsPath(workdir), reason: { takenBy: '/first' }, ports: { smtp: 0 } })
    expect(moved?.ports.api).toBeGreaterThan(20_000)
    await first.remove()
    expect(await assign(null)).toEqual({ ...moved, reason: 'kept' })
    await other([moved?.ports.mail ?? 0])
    const again = await assign(null)
    expect(again?.reason).toEqual({ takenBy: '/first' })
    expect(again?.ports.api).not.toBe(moved?.ports.api)
  })

  test('changes the SMTP port only if it is taken', async () => {
    const withSmtp = { ...CONFIGURED, smtp: 54_325 }
    await other([CONFIGURED.api])
    expect((await assign(null, withSmtp))?.ports.smtp).toBe(0)
    await rm(join(folder, 'lock'))
    await rm(portsPath(workdir))
    await other([withSmtp.smtp])
    const { smtp, ...rest } = (await assign(null, withSmtp))?.ports ?? {}
    expect(smtp).toBeGreaterThan(20_000)
    expect(rest).toEqual({ api: 54321, database: 54322, studio: 54323, mail: 54324, pooler: 0 })
  })

  test('a port newly enabled in config.toml moves with the others if taken', async () => {
    const first = await other([CONFIGURED.api])
    expect((await assign(null))?.ports.pooler).toBe(0)
    await first.remove()
    await other([54_329])
    const assigned = await assign(null, { ...CONFIGURED, pooler: 54_329 })
    expect([assigned?.reason, assigned?.ports.pooler]).toEqual([{ takenBy: '/first' }, (assigned?.ports.api ?? 0) + 8])
  })

  test('an ordinary checkout keeps the ports of config.toml', async () => {
    await other([CONFIGURED.api])
    await rm(join(workdir, '.git'))
    await mkdir(join(workdir, '.git'))
    expect(await assign(null)).toBeNull()
  })
})
