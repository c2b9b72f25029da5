import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packedProject } from '../tests/support/packed.ts'
import { type CpuTime, cpuTime, proportionalMemory } from './processes.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PROJECT = here('./project')
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const TIMEOUT = 60_000

/** Lite on SQLite has no functions, so these are not in the project that all peers share. */
const FUNCTIONS = `
create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
create function public.grow(from_id int, to_id int) returns void language sql as $$
  insert into public.lists select id, 'List ' || id from generate_series(1, 10) id on conflict do nothing;
  insert into public.items select id, 1 + id % 10, 'Item ' || id from generate_series(from_id, to_id) id;
$$;
`

/** A backend to measure: in its own process, on a free port, with this folder's project. */
export type Peer = {
  readonly name: string
  readonly url: string
  /** The headers of a visitor's requests. */
  readonly publishableKey: string
  readonly secretKey: string
  readonly pid: number
  /** Milliseconds from the start of its process to its first response. */
  readonly startTime: number
  /** Where its database listens; null where only the peer itself reaches it. */
  readonly database: string | null
  /** False if it uses another peer's database. */
  readonly hasOwnData: boolean
  /** CPU time so far, of the peer and of the database it uses. */
  cpu(): Promise<CpuTime>
  /** Memory of the process and its descendants, in bytes. */
  memory(): Promise<number>
  stop(): Promise<void>
}

let packed: Promise<string> | undefined

/** The command of the installed package, as users run it; packed once per run of the benchmarks. */
function installedUndock(): Promise<string> {
  packed ??= packedProject().then((project) => {
    process.once('exit', () => rmSync(dirname(project.folder), { recursive: true, force: true }))
    return join(project.folder, 'node_modules/undock/bin/undock.js')
  })
  return packed
}

/** Starts undock from its installed package.
 *  @param settings Settings of undock.toml. */
export async function startUndock(settings = '', name = 'undock'): Promise<Peer> {
  const port = await freePort()
  const ports = await freePorts(port)
  const folder = await copyProject()
  await writeFile(join(folder, 'supabase', 'migrations', '20260102000000_create_functions.sql'), FUNCTIONS)
  await writeFile(join(folder, 'supabase', 'undock.toml'), settings)
  const child = spawn(process.execPath, [await installedUndock(), 'start', '--workdir', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...ports },
  })
  return peer(name, child, port, { folder, database: `127.0.0.1:${ports.SUPABASE_DB_PORT}` })
}

/** A server of node:http that sends a prepared statement, or the transaction of a caller, to the database of another peer: the
 *  limit of what a Data API in Node can reach there. */
export async function startBare(mode: 'statement' | 'transaction', owner: Peer): Promise<Peer> {
  const port = await freePort()
  const child = spawn(process.execPath, [here('bare-server.ts'), String(port), String(owner.database), mode], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const bare = await peer(`node:http and pg, a ${mode}`, child, port)
  const cpu = async () => ({ own: (await bare.cpu()).own, database: (await owner.cpu()).database })
  return { ...bare, cpu }
}

/** @param driver The name in lite's config. */
export async function startLite(driver: 'sqlite-postgres' | 'pglite'): Promise<Peer> {
  const port = await freePort()
  const folder = await copyProject()
  const database = driver === 'pglite' ? 'supabase/.temp/data' : 'file:./supabase/.temp/data.db'
  await mkdir(join(folder, 'supabase', '.temp'), { recursive: true })
  await writeFile(
    join(folder, 'supabase', 'config.toml'),
    `[api]
port = ${port}
[db]
driver = "${driver}"
url = "${database}"
[auth]
enabled = true
jwt_secret = "super-secret-jwt-token-with-at-least-32-characters-long"
publishable_key = "${PUBLISHABLE_KEY}"
secret_key = "${SECRET_KEY}"
`,
  )
  const env = { ...process.env, LITE_TELEMETRY: '0', DO_NOT_TRACK: '1', NODE_ENV: 'production' }
  const lite = here('./node_modules/@supabase/lite/dist/cli/index.js')
  await ended(
    spawn(process.execPath, [lite, 'migration', 'up'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const child = spawn(process.execPath, [lite, 'start'], { cwd: folder, env, stdio: 'ignore' })
  return peer(driver === 'pglite' ? 'lite on PGlite' : 'lite on SQLite', child, port, { folder })
}

async function peer(
  name: string,
  child: ChildProcess,
  port: number,
  { folder, database = null }: { readonly folder?: string; readonly database?: string | null } = {},
): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const pid = child.pid as number
  await untilServing(name, child, url)
  return {
    name,
    url,
    pid,
    startTime: performance.now() - started,
    publishableKey: PUBLISHABLE_KEY,
    secretKey: SECRET_KEY,
    database,
    hasOwnData: folder !== undefined,
    cpu: () => cpuTime(pid),
    memory: () => proportionalMemory(pid),
    async stop() {
      const end = ended(child)
      child.kill('SIGTERM')
      await end
      if (folder) await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilServing(name: string, child: ChildProcess, url: string): Promise<void> {
  for (let waited = 0; waited < TIMEOUT; waited += 50) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode} before it served`)
    const status = await fetch(`${url}/rest/v1/lists?limit=1`, { headers: { apikey: SECRET_KEY } }).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${name} did not serve within ${TIMEOUT / 1_000} s`)
}

async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
  await cp(join(PROJECT, 'supabase'), join(folder, 'supabase'), { recursive: true })
  return folder
}

async function freePorts(api: number): Promise<Record<string, string>> {
  return {
    SUPABASE_API_PORT: String(api),
    SUPABASE_DB_PORT: String(await freePort()),
    SUPABASE_STUDIO_PORT: String(await freePort()),
    SUPABASE_LOCAL_SMTP_PORT: String(await freePort()),
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

export const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) =>
    child.exitCode === null ? child.once('exit', (code) => resolve(code ?? 1)) : resolve(child.exitCode),
  )
