import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as send } from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { makeProject, type TestProject } from '../tests/support/project.ts'
import { end, startUndock } from '../tests/support/undock.ts'
import { proportionalMemory } from './processes.ts'
import { median, megabytes, milliseconds, rate, ratio, table } from './table.ts'

const FILE_SERVER = fileURLToPath(new URL('./file-server.ts', import.meta.url))
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const CONFIG = `project_id = "files"
[auth]
enabled = false
[edge_runtime]
enabled = false
[local_smtp]
enabled = false
[realtime]
enabled = false
[storage]
file_size_limit = "200MiB"
[storage.buckets.files]
`
const LIMITS = '[limits]\nstatement_timeout = "5m"\n'

const LARGE = 100 * 2 ** 20
const CHUNK = Buffer.alloc(2 ** 20, 'a line of text, to be sent again and again\n')
const ROUNDS = 5
const SMALL = Buffer.alloc(10_000, 'x')
const SMALL_UPLOADS = 1_000
const CLIENTS = 16
const FOLDERS = [1_000, 100_000, 1_000_000]
const PAGES = 30

type Server = { readonly process: ChildProcess; upload: string; download: string }

/** Large files in both directions compared with a plain file server, many small files, and folders of all sizes. */
export async function benchStorage(): Promise<string> {
  const project = await makeProject({ 'config.toml': CONFIG, 'undock.toml': LIMITS })
  const undock = await startUndock(project)
  const plain = fork(FILE_SERVER)
  try {
    const [{ port }] = (await once(plain, 'message')) as [{ port: number }]
    const object = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}/storage/v1/object`
    const servers: readonly [Server, Server] = [
      { process: undock, upload: `${object}/files`, download: `${object}/authenticated/files` },
      { process: plain, upload: `http://127.0.0.1:${port}`, download: `http://127.0.0.1:${port}` },
    ]
    const transfers = table(
      ['', 'undock', 'plain Node file server', ''],
      [...(await largeRows(servers)), await smallRow(servers)],
    )
    const lists = table(['first page of 100', 'list', 'list v2 from the middle on'], await listRows(project))
    return `${transfers}\n\n${lists}`
  } finally {
    plain.kill('SIGTERM')
    await end(undock, 'SIGTERM')
    await project.remove()
  }
}

async function largeRows(servers: readonly [Server, Server]): Promise<string[][]> {
  const up: [number[], number[]] = [[], []]
  const down: [number[], number[]] = [[], []]
  const grown: [number, number] = [0, 0]
  // The first round warms up; memory that is allocated permanently is allocated then.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, server] of servers.entries()) {
      const memory = watchMemory(server.process)
      const name = `/large-${round % 2}`
      const sent = await seconds(() => put(server.upload + name, LARGE))
      const received = await seconds(() => get(server.download + name))
      const growth = await memory.stop()
      if (round === 0) continue
      up[index as 0 | 1].push(LARGE / sent)
      down[index as 0 | 1].push(LARGE / received)
      grown[index as 0 | 1] = Math.max(grown[index as 0 | 1], growth)
    }
  }
  const speed = (bytes: number) => `${megabytes(bytes)}/s`
  const row = (name: string, [ours, theirs]: [number[], number[]]) => [
    name,
    speed(median(ours)),
    speed(median(theirs)),
    ratio(median(ours), median(theirs)),
  ]
  return [
    row('100 MB up', up),
    row('100 MB down', down),
    ['memory that this takes at most', ...grown.map(megabytes), ''],
  ]
}

async function smallRow(servers: readonly [Server, Server]): Promise<string[]> {
  const rates: number[] = []
  for (const server of servers) {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
    let next = 0
    const client = async () => {
      for (let number = next++; number < SMALL_UPLOADS; number = next++) {
        await put(`${server.upload}/small-${number}`, SMALL.length, agent)
      }
    }
    const took = await seconds(() => Promise.all(Array.from({ length: CLIENTS }, client)))
    agent.destroy()
    rates.push(SMALL_UPLOADS / took)
  }
  const [ours = 0, theirs = 0] = rates
  return [`1,000 files of 10 kB, ${CLIENTS} clients`, rate(ours), rate(theirs), ratio(ours, theirs)]
}

async function listRows(project: TestProject): Promise<string[][]> {
  const client = new pg.Client({
    connectionString: `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`,
  })
  await client.connect()
  const rows: string[][] = []
  try {
    for (const size of FOLDERS) {
      for (let from = 1; from <= size; from += 50_000) {
        await client.query(
          `insert into storage.objects (bucket_id, name, metadata)
            select 'files', format('folder-${size}/%s.txt', to_char(n, 'FM0000000')), '{"size": 1, "mimetype": "text/plain"}'
            from generate_series(${from}, ${Math.min(from + 49_999, size)}) n`,
        )
      }
      await client.query('analyze storage.objects')
      const middle = Buffer.from(`l:folder-${size}/${String(size >> 1).padStart(7, '0')}.txt\no:asc`).toString('base64')
      const ask = (route: string, body: object) => () => post(project, `/object/${route}/files`, body)
      rows.push([
        `of ${size.toLocaleString('en')} files`,
        milliseconds(await typical(ask('list', { prefix: `folder-${size}`, limit: 100 }))),
        milliseconds(
          await typical(
            ask('list-v2', { prefix: `folder-${size}/`, limit: 100, cursor: middle, with_delimiter: true }),
          ),
        ),
      ])
    }
  } finally {
    await client.end()
  }
  return rows
}

async function typical(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < PAGES; round++) times.push((await seconds(work)) * 1000)
  return median(times)
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

async function post({ ports }: TestProject, path: string, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${ports.SUPABASE_API_PORT}/storage/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as unknown[] | { objects?: unknown[] }
  const entries = Array.isArray(answer) ? answer : answer.objects
  if (entries?.length !== 100)
    throw new Error(`${path} answered ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
}

/** Sends a number of bytes as fast as they are accepted, one chunk at a time. */
async function put(url: string, size: number, agent?: Agent): Promise<void> {
  const request = send(url, {
    // Storage takes POST for a new object and PUT for an existing one; with x-upsert the same method works for both.
    method: url.includes('/storage/') ? 'POST' : 'PUT',
    headers: {
      authorization: `Bearer ${SECRET_KEY}`,
      'content-type': 'text/plain',
      'content-length': size,
      'x-upsert': 'true',
    },
    ...(agent && { agent }),
  })
  const answered = once(request, 'response')
  for (let sent = 0; sent < size; sent += CHUNK.length) {
    if (!request.write(CHUNK.subarray(0, size - sent))) await once(request, 'drain')
  }
  request.end()
  const [response] = await answered
  if (response.statusCode !== 200) throw new Error(`An upload was answered ${response.statusCode}`)
  await once(response.resume(), 'end')
}

async function get(url: string): Promise<void> {
  const request = send(url, { headers: { authorization: `Bearer ${SECRET_KEY}` } }).end()
  const [response] = await once(request, 'response')
  let size = 0
  for await (const chunk of response) size += chunk.length
  if (size !== LARGE) throw new Error(`A download has ${size} bytes`)
}

/** The maximum increase of a process's memory since the beginning. */
function watchMemory({ pid = 0 }: ChildProcess): { stop(): Promise<number> } {
  const begin = proportionalMemory(pid)
  let most = 0
  const timer = setInterval(async () => {
    most = Math.max(most, await proportionalMemory(pid))
  }, 20)
  return {
    async stop() {
      clearInterval(timer)
      return Math.max(most, await proportionalMemory(pid)) - (await begin)
    },
  }
}
