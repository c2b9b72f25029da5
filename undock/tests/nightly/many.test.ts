import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { userCacheFolder } from '../../src/platform/folders.ts'
import { isAlive, processStart } from '../../src/platform/process.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, launch, startUndock, undock, untilSaid } from '../support/undock.ts'

// Each test starts several backends on a possibly busy machine.
vi.setConfig({ testTimeout: 240_000 })

const CONFIG = 'project_id = "many"\n[edge_runtime]\nenabled = false\n'

const cleaning: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await endRunning()
  for (const clean of cleaning.splice(0).reverse()) await clean()
  vi.unstubAllEnvs()
})

async function project(files: Record<string, string> = {}): Promise<TestProject> {
  const made = await makeProject({ 'config.toml': CONFIG, ...files })
  cleaning.push(made.remove)
  return made
}

/** A cache folder with everything from the user's own except the list of running backends. */
async function useOwnList(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'undock-cache-'))
  // If the tests run as root, Postgres runs as another user, and its programs are in there.
  await chmod(folder, 0o755)
  const kept = userCacheFolder(process.env)
  await mkdir(kept, { recursive: true })
  for (const name of await readdir(kept))
    if (!['running', 'sleeping'].includes(name)) await symlink(join(kept, name), join(folder, name))
  vi.stubEnv('UNDOCK_CACHE_DIR', folder)
  cleaning.push(() => rm(folder, { recursive: true, maxRetries: 20 }))
}
beforeEach(useOwnList)

/** Starts a backend in the background. @returns its pid */
async function detached(made: TestProject, ...flags: readonly string[]): Promise<number> {
  const { code, stderr } = await undock(made, 'start', '--detach', ...flags)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Running in the background as process')])
  const pid = Number(/as process (\d+)/.exec(stderr)?.[1])
  cleaning.push(async () => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  return pid
}

/** Also detects a zombie whose new parent hasn't reaped it. */
const isGone = (pid: number): boolean => processStart(pid) === null

const listed = async (made: TestProject) => JSON.parse((await undock(made, 'list', '-o', 'json')).stdout)

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
  expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

test('`git add .` adds no files of run and start', async () => {
  const made = await project()
  git(made.folder, 'init', '--quiet')
  expect((await undock(made, 'run', '--', 'true')).code).toBe(0)
  expect(git(made.folder, 'status', '--porcelain', '--untracked-files=all')).toBe('?? supabase/config.toml\n')
  expect((await undock(made, 'start', '--detach')).code).toBe(0)
  expect((await undock(made, 'stop')).code).toBe(0)
  git(made.folder, 'add', '.')
  expect(git(made.folder, 'ls-files')).toBe('supabase/config.toml\n')
})

test('list shows all running backends from any folder', async () => {
  const made = await project()
  const elsewhere = await project()
  expect(await undock(elsewhere, 'list')).toEqual({ code: 0, stdout: 'No backend is running.\n', stderr: '' })
  expect(await listed(elsewhere)).toEqual([])

  const pid = await detached(made)
  const url = `http://127.0.0.1:${made.ports.SUPABASE_API_PORT}`
  expect(await listed(elsewhere)).toEqual([
    {
      folder: made.folder,
      name: null,
      state: 'running',
      pid,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      url,
      dbUrl: `postgresql://postgres:postgres@127.0.0.1:${made.ports.SUPABASE_DB_PORT}/postgres`,
      mailUrl: expect.stringMatching(/^http/),
      engine: 'native',
      branch: 'main',
      memory: expect.any(Number),
    },
  ])
  const [titles, row] = (await undock(elsewhere, 'list')).stdout.split('\n')
  expect(titles).toMatch(/^FOLDER +NAME +BRANCH +URL +DATABASE +ENGINE +MEMORY +SINCE$/)
  expect(row?.split(/ {2,}/)).toEqual([
    made.folder,
    'main',
    url,
    `127.0.0.1:${made.ports.SUPABASE_DB_PORT}`,
    'native',
    expect.stringMatching(/^\d+ MB$/),
    expect.stringMatching(/^\d{4}-/),
  ])

  process.kill(pid, 'SIGKILL')
  await expect.poll(() => listed(elsewhere), { timeout: 20_000 }).toEqual([])
  await detached(made)
  expect(await listed(elsewhere)).toHaveLength(1)
  expect((await undock(made, 'stop')).code).toBe(0)
  expect(await listed(elsewhere)).toEqual([])
})

test('stop --all stops every listed backend and reports each', async () => {
  const [first, second, elsewhere] = [await project(), await project(), await project()]
  const pids = [await detached(first), await detached(second)]
  const stopped = await undock(elsewhere, 'supabase', 'stop', '--all')
  expect([stopped.code, stopped.stderr.trim().split('\n').sort()]).toEqual([
    0,
    [first, second].map(({ folder }) => `${folder}: Stopped. The data is kept in supabase/.undock.`).sort(),
  ])
  expect(pids.map(isGone)).toEqual([true, true])
  expect(await undock(elsewhere, 'stop', '--all')).toMatchObject({ code: 0, stderr: 'No backend is running.\n' })
})

test('stop --all also stops a backend whose folder was deleted', async () => {
  const [deleted, elsewhere] = [await project(), await project()]
  const pid = await detached(deleted)
  // The database may write while its folder is being deleted.
  await rm(deleted.folder, { recursive: true, force: true, maxRetries: 20 })
  expect((await listed(elsewhere)).map(({ folder }: { folder: string }) => folder)).toEqual([deleted.folder])
  expect((await undock(elsewhere, 'stop', '--all')).code).toBe(0)
  expect(isGone(pid)).toBe(true)
})

const urls = async (made: TestProject, ...flags: readonly string[]) => {
  const { API_URL, DB_URL, MAILPIT_URL } = JSON.parse((await undock(made, 'status', '-o', 'json', ...flags)).stdout)
  return [API_URL, DB_URL, MAILPIT_URL] as string[]
}
const portsIn = (addresses: readonly string[]) => addresses.map((address) => Number(new URL(address).port))

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('a named backend has its own data and ports', async () => {
  const made = await project({
    'migrations/1_notes.sql': 'create table public.notes (body text);',
    'seed.sql': `insert into public.notes values ('seeded');`,
    'tests/two_test.sql': `select plan(1);
      select is((select count(*) from public.notes where body = 'of two'), 1::bigint);
      select * from finish();`,
  })
  const configured = Object.values(made.ports).map(Number)
  await detached(made)
  await detached(made, '--name', 'two')
  const [first, second] = [await urls(made), await urls(made, '--name', 'two')]
  expect(configured).toEqual(expect.arrayContaining(portsIn(first)))
  for (const port of portsIn(second)) expect(configured).not.toContain(port)
  expect((await listed(made)).map(({ name }: { name: string | null }) => name)).toEqual([null, 'two'])

  await query(second[1] ?? '', `insert into public.notes values ('of two')`)
  expect(await query(first[1] ?? '', 'select body from public.notes')).toEqual([{ body: 'seeded' }])
  expect((await undock(made, 'db', 'test', '--name', 'two')).code).toBe(0)
  expect((await undock(made, 'db', 'test')).code).toBe(1)
  expect((await undock(made, 'db', 'dump', '--data-only', '--name', 'two')).stdout).toContain('of two')
  expect((await undock(made, 'logs', '--name', 'three')).stdout).toBe('')
  const again = await undock(made, 'start', '--name', 'two')
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('stop it with `undock stop --name two`')])

  const stopped = await undock(made, 'stop', '--name', 'two')
  expect(stopped).toMatchObject({ code: 0, stderr: 'Stopped. The data is kept in supabase/.undock/named/two.\n' })
  expect((await undock(made, 'status')).code).toBe(0)
  vi.stubEnv('UNDOCK_NAME', 'two')
  expect((await undock(made, 'status')).stderr).toContain('Start it with `undock start --name two`')
  await detached(made)
  expect(await urls(made)).toEqual(second)
  expect(await query(second[1] ?? '', 'select body from public.notes order by body')).toEqual([
    { body: 'of two' },
    { body: 'seeded' },
  ])
  expect((await undock(made, 'reset')).code).toBe(0)
  expect(await query(second[1] ?? '', 'select body from public.notes')).toEqual([{ body: 'seeded' }])
  expect((await undock(made, 'stop')).code).toBe(0)
  expect((await undock(made, 'reset')).stderr).toContain('`undock start --name two` continues with the fresh data')
  expect((await undock(made, 'stop', '--all')).stderr).toContain(`${made.folder}: Stopped.`)
})

test('links, emails and functions of a named backend use its own ports', async () => {
  const made = await project({
    'config.toml': `project_id = "many"
      [local_smtp]
      smtp_port = ${await freePort()}`,
    'functions/ask/index.ts': `Deno.serve(() => new Response(Deno.env.get('SUPABASE_URL')))`,
  })
  await detached(made)
  await detached(made, '--name', 'two')
  const { API_URL, MAILPIT_URL, ANON_KEY } = JSON.parse(
    (await undock(made, 'status', '--name', 'two', '-o', 'json')).stdout,
  )
  const headers = { apikey: ANON_KEY, authorization: `Bearer ${ANON_KEY}` }
  expect(await (await fetch(`${API_URL}/functions/v1/ask`, { headers })).text()).toBe(API_URL)
  const otp = { method: 'POST', headers, body: JSON.stringify({ email: 'two@example.com' }) }
  expect((await fetch(`${API_URL}/auth/v1/otp`, otp)).status).toBe(200)
  const mail = await (await fetch(`${MAILPIT_URL}/api/v1/message/latest`)).text()
  expect(mail).toContain(`${API_URL}/auth/v1/verify?token=`)
  expect((await undock(made, 'stop', '--all')).code).toBe(0)
})

test("reports a named backend's port that another program uses, with the file that stores it", async () => {
  const made = await project({
    '.undock/named/two/ports.json': '{}',
  })
  const server = createServer().listen(0, '127.0.0.1')
  cleaning.push(async () => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const file = join(made.folder, 'supabase/.undock/named/two/ports.json')
  await writeFile(file, JSON.stringify({ api: port, database: port + 1, mail: port + 2, smtp: 0, pooler: 0 }))
  const { code, stderr } = await undock(made, 'start', '--name', 'two')
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port}, for the API, is in use`)])
  expect(stderr).toContain(`or delete ${file} so that the next start uses other ports`)
})

test('a linked worktree avoids the ports of a running backend and keeps the ones it chose', async () => {
  const first = await project({ 'migrations/1_notes.sql': 'create table public.notes (body text);' })
  const parent = await mkdtemp(join(tmpdir(), 'undock-second-'))
  cleaning.push(() => rm(parent, { recursive: true, force: true, maxRetries: 20 }))
  const second = { ...first, folder: join(parent, 'second') }
  git(first.folder, 'init', '--quiet')
  git(first.folder, 'add', '.')
  git(first.folder, 'commit', '--quiet', '--message', 'project')
  git(first.folder, 'worktree', 'add', '--quiet', second.folder)

  await detached(first)
  const child = await startUndock(second)
  const moved = await urls(second)
  for (const port of portsIn(moved)) expect(portsIn(await urls(first))).not.toContain(port)
  await query(moved[1] ?? '', `insert into public.notes values ('second')`)
  expect(await query((await urls(first))[1] ?? '', 'select body from public.notes')).toEqual([])
  expect((await listed(first)).map(({ folder }: { folder: string }) => folder)).toEqual([first.folder, second.folder])
  await end(child, 'SIGINT')
  expect((await undock(first, 'stop')).code).toBe(0)

  const [api, database] = portsIn(moved)
  const restarted = launch(second, ['start'])
  await untilSaid(restarted, `ports ${api} (API), ${database} (database), `)
  await untilSaid(restarted, 'Ready in')
  expect(await urls(second)).toEqual(moved)
  await end(restarted, 'SIGINT')
})

test('a linked worktree prints its ports and why; an ordinary checkout fails', async () => {
  const first = await project()
  await detached(first)
  const worktree = { ...(await project()), ports: first.ports }
  await writeFile(join(worktree.folder, '.git'), 'gitdir: /first/.git/worktrees/second\n')
  const child = launch(worktree, ['start'])
  await untilSaid(
    child,
    `because the backend of ${first.folder} has those of config.toml; ${worktree.folder}/supabase/`,
  )
  await untilSaid(child, 'Ready in')
  await end(child, 'SIGINT')
  const copy = { ...(await project()), ports: first.ports }
  const { code, stderr } = await undock(copy, 'start')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`Port ${first.ports.SUPABASE_API_PORT}, for the API, is in`),
  ])
  expect(stderr).toContain('`undock start --name NAME`')
})
