import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { userCacheFolder } from '../../src/platform/folders.ts'
import { eventually } from '../../src/testing/eventually.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, launch, undock, untilSaid } from '../support/undock.ts'

const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let project: TestProject
let host: string
beforeEach(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "sleep"\n[edge_runtime]\nenabled = false\n',
    'migrations/1_notes.sql':
      'create table public.notes (id int primary key, text text); grant all on public.notes to service_role;',
  })
  host = `${project.folder
    .toLowerCase()
    .split('/')
    .at(-1)
    ?.replaceAll(/[^a-z0-9]+/g, '-')}.localhost`
})
afterEach(async () => {
  await undock(project, 'stop')
  await endRunning()
  await project.remove()
})

/** Starts the backend in the background, or wakes it, and waits until it sleeps. */
async function fallAsleep(): Promise<void> {
  expect(await undock(project, 'start', '--detach', '--sleep-after', '500ms')).toMatchObject({ code: 0 })
  await untilState('asleep')
}

const listed = async () => {
  const all = JSON.parse((await undock(project, 'list', '-o', 'json')).stdout) as { folder: string; state: string }[]
  return all.filter(({ folder }) => folder === project.folder)
}

const untilState = (state: string) => eventually(async () => expect(await listed()).toMatchObject([{ state }]))

async function startProxy(): Promise<{ port: number; process: ChildProcess }> {
  const port = await freePort()
  const child = launch(project, ['proxy', '--port', String(port)])
  await untilSaid(child, 'Serving backends')
  return { port, process: child }
}

/** Sends requests by name: Node's `fetch` doesn't resolve names that end with .localhost. */
const clientAt = (port: number) =>
  createClient(`http://127.0.0.1:${port}`, SECRET, {
    auth: { persistSession: false },
    global: {
      fetch: async (input, init) => {
        const { request } = await import('node:http')
        const { pathname, search } = new URL(input as string)
        const headers = { ...Object.fromEntries(new Headers(init?.headers)), host: `${host}:${port}` }
        const sent = request({ port, host: '127.0.0.1', path: pathname + search, method: init?.method, headers })
        sent.end(init?.body)
        const [answer] = await once(sent, 'response')
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk)
        return new Response(Buffer.concat(chunks), { status: answer.statusCode, headers: answer.headers })
      },
    },
  })

/** The file that lists the backend as asleep. */
async function sleepingEntry(): Promise<string> {
  const folder = join(userCacheFolder(process.env), 'sleeping')
  for (const name of await readdir(folder))
    if ((await readFile(join(folder, name), 'utf8')).includes(project.folder)) return join(folder, name)
  return expect.fail('the backend is not asleep')
}

const nightly = test.runIf(process.env.NIGHTLY)

test('the first requests of two proxies wake a backend once, with their bodies', async () => {
  await fallAsleep()
  expect(await undock(project, 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('is asleep') })
  const proxies = [await startProxy(), await startProxy()]
  const rows = Array.from({ length: 6 }, (_, id) => ({ id, text: String(id).repeat(300_000) }))
  const results = await Promise.all(
    rows.map((row) =>
      clientAt(proxies[row.id % 2]?.port ?? 0)
        .from('notes')
        .insert(row),
    ),
  )
  expect(results.map(({ status }) => status)).toEqual(rows.map(() => 201))
  const { data } = await clientAt(proxies[0]?.port ?? 0)
    .from('notes')
    .select('text')
  expect(data?.map(({ text }) => text.length)).toEqual(rows.map(() => 300_000))
}, 120_000)

nightly(
  'a database connection and a WebSocket wake a backend',
  async () => {
    await fallAsleep()
    const proxy = await startProxy()
    const database = new pg.Client(
      `postgresql://postgres.${host.split('.')[0]}:postgres@127.0.0.1:${proxy.port}/postgres`,
    )
    await database.connect()
    expect((await database.query('select count(*)::int from notes')).rows).toHaveLength(1)
    await database.end()

    await untilState('asleep')
    const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/realtime/v1/websocket?apikey=${SECRET}`, {
      headers: { host: `${host}:${proxy.port}` },
    })
    await once(socket, 'open')
    socket.close()
  },
  120_000,
)

nightly(
  'a due job wakes a backend, and one killed while waking wakes again',
  async () => {
    await fallAsleep()
    const entry = await sleepingEntry()
    const waking = launch(project, ['start'])
    await untilSaid(waking, 'Starting')
    await end(waking, 'SIGKILL')
    expect(await listed()).toMatchObject([{ state: 'asleep', wakesAt: null }])
    const record = JSON.parse(await readFile(entry, 'utf8'))
    record.asleep.wakeAt = new Date().toISOString()
    await writeFile(entry, JSON.stringify(record))
    await startProxy()
    await eventually(async () => expect(await readFile(entry, 'utf8').catch(() => null)).toBeNull())
    await untilState('asleep')
  },
  120_000,
)

nightly(
  'a failed start is explained, and a stopped or deleted backend no longer sleeps',
  async () => {
    await fallAsleep()
    const { port } = await startProxy()
    const other = createServer().listen(Number(project.ports.SUPABASE_API_PORT), '127.0.0.1')
    await once(other, 'listening')
    const refused = await clientAt(port).from('notes').insert({ id: 1 })
    expect(refused).toMatchObject({ status: 503, error: { message: expect.stringContaining('is in use') } })
    other.close()
    expect(await clientAt(port).from('notes').select()).toMatchObject({ status: 200, data: [] })

    await untilState('asleep')
    expect(await undock(project, 'stop')).toMatchObject({ code: 0, stderr: expect.stringContaining('Stopped') })
    expect(await listed()).toEqual([])
    expect(await clientAt(port).from('notes').select()).toMatchObject({ status: 404 })

    await fallAsleep()
    await rm(join(project.folder, 'supabase'), { recursive: true })
    expect(await clientAt(port).from('notes').select()).toMatchObject({ status: 404 })
    expect(await listed()).toEqual([])
  },
  120_000,
)

test('invalid durations and changing ports are refused', async () => {
  for (const flags of [
    ['--sleep-after', 'soon'],
    ['--sleep-after', '0s'],
    ['--sleep-after', '10s', '--ports', 'free'],
  ])
    expect(await undock(project, 'start', ...flags)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sleep-after'),
    })
})
