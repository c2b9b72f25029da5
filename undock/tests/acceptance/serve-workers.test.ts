import { readFile } from 'node:fs/promises'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../src/testing/eventually.ts'
import { startS3Store, type TestStore } from '../../src/testing/s3-store.ts'
import { makeServedProject, type ServedNode, type ServedProject, storeVariables } from '../support/nodes.ts'
import { type PlainServer, startPlainServer } from '../support/plain-server.ts'
import { endRunning, untilSaid } from '../support/undock.ts'

const MIGRATION = `
create table public.items (id int primary key, name text);
insert into public.items values (1, 'one');
alter table public.items enable row level security;
create policy anyone on public.items for select to anon using (true);
`
const PROJECT = {
  'config.toml': 'project_id = "workers"\n[edge_runtime]\nenabled = false\n',
  'migrations/20260101000000_items.sql': MIGRATION,
}

let server: PlainServer
let store: TestStore
let served: ServedProject
let node: ServedNode

beforeAll(async () => {
  server = await startPlainServer()
  store = await startS3Store()
  served = await makeServedProject(PROJECT, {
    ...storeVariables(store),
    UNDOCK_DATABASE_URL: server.url,
    UNDOCK_SERVE_DRAIN_DELAY: '1',
    UNDOCK_SERVE_WORKERS: '2',
  })
  expect(await served.command(['--migrate'])).toMatchObject({ code: 0 })
  node = await served.start()
})
afterAll(async () => {
  await endRunning()
  await server?.close()
  await store?.close()
  await served?.remove()
})

const workers = async (): Promise<number[]> => {
  const { pid } = node.process
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').map(Number)
}

/** Uses a new connection each time, so that the primary process chooses the worker. */
const read = async (): Promise<number> => {
  const headers = { apikey: served.keys.publishable, connection: 'close' }
  const response = await fetch(`${node.url}/rest/v1/items?id=eq.1`, { headers }).catch((error: Error) => error)
  return response instanceof Response ? response.status : 0
}

/** Reads repeatedly until the work is done. @returns responses other than 200 */
async function refusedDuring(work: Promise<unknown>): Promise<number[]> {
  const refused: number[] = []
  let isDone = false
  const reading = async (): Promise<void> => {
    while (!isDone) {
      const status = await read()
      if (status !== 200) refused.push(status)
    }
  }
  const readers = [reading(), reading()]
  await work
  isDone = true
  await Promise.all(readers)
  return refused
}

test('workers share a port, and one page has all their metrics', async () => {
  expect(await workers()).toHaveLength(2)
  const statuses = await Promise.all(Array.from({ length: 20 }, read))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const metrics = await (await fetch(`${node.adminUrl}/metrics`)).text()
  expect(metrics).toContain('undock_requests_total{service="rest",status="200"} 20\n')
  expect((await fetch(`${node.adminUrl}/ready`)).status).toBe(200)
})

test("clients of different workers receive each other's messages", async () => {
  const clients = Array.from({ length: 4 }, () => createClient(node.url, served.keys.publishable))
  const heard: number[] = []
  const channels = clients.map((client, index) =>
    client.channel('room').on('broadcast', { event: 'hello' }, () => heard.push(index)),
  )
  await Promise.all(
    channels.map(
      (channel) =>
        new Promise<void>((resolve) => {
          channel.subscribe((status) => status === 'SUBSCRIBED' && resolve())
        }),
    ),
  )
  await channels[0]?.send({ type: 'broadcast', event: 'hello', payload: {} })
  await eventually(() => expect(heard.toSorted()).toEqual([1, 2, 3]))
  await Promise.all(clients.map((client) => client.removeAllChannels()))
})

test('replaces a killed worker while the other responds', async () => {
  const [killed = 0, kept = 0] = await workers()
  const replaced = untilSaid(node.process, 'The new worker is serving')
  const noticed = untilSaid(node.process, 'starting another')
  process.kill(killed, 'SIGKILL')
  await noticed
  expect(await refusedDuring(replaced)).toEqual([])
  expect(await workers()).toHaveLength(2)
  expect(await workers()).toContain(kept)
  expect(await workers()).not.toContain(killed)
})

test('replaces all workers without losing a request', async () => {
  const before = await workers()
  const replaced = untilSaid(node.process, 'All workers are new')
  node.process.kill('SIGUSR2')
  expect(await refusedDuring(replaced)).toEqual([])
  const after = await workers()
  expect(after).toHaveLength(2)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
})

test('a termination signal ends all workers once they have responded', async () => {
  expect(await node.end('SIGTERM')).toBe(0)
})
