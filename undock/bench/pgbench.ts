import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { openInstallation } from '../src/database/postgres/installation.ts'
import { ordinaryUser } from '../src/database/postgres/ordinary-user.ts'
import { DEFAULT_MAJOR } from '../src/database/postgres/postgres-package.ts'
import { startStack } from '../src/runtime/stack/stack.ts'
import { freePort, makeProject } from '../tests/support/project.ts'
import { median, rate, ratio, table } from './table.ts'

const run = promisify(execFile)
const CLIENTS = 16
const ROUNDS = 5
const SECONDS = 4
/** libpq asks for TLS where a server has it, and the bare one has none. */
const OPTIONS = { env: { ...process.env, PGSSLMODE: 'disable' } }

const WORKLOADS = [
  ['select by key', ['-S']],
  ['TPC-B, each commit on disk', []],
] as const

type Server = { readonly url: string; stop(): Promise<void> }

/** pgbench's own workloads on undock's database port and on the same programs without undock, which take turns within each round.
 *  @returns the reason where pgbench is not installed. */
export async function benchPgbench(): Promise<string> {
  if (spawnSync('pgbench', ['--version']).status !== 0) return 'Not measured: pgbench is not on the PATH.'
  const servers = [await startOurs(), await startBare()]
  try {
    for (const { url } of servers) await run('pgbench', ['-i', '-q', '-s', '5', url], OPTIONS)
    const rows: string[][] = []
    for (const [name, words] of WORKLOADS) {
      const rates = servers.map((): number[] => [])
      for (let round = 0; round < ROUNDS; round++)
        for (const [index, { url }] of servers.entries()) rates[index]?.push(await transactions(url, words))
      const [ours = 0, bare = 0] = rates.map(median)
      rows.push([name, rate(ours), rate(bare), ratio(ours, bare)])
    }
    return table([`transactions, ${CLIENTS} clients`, 'undock, native', 'the same programs alone', 'ratio'], rows)
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function transactions(url: string, words: readonly string[]): Promise<number> {
  const flags = ['-n', '-c', String(CLIENTS), '-j', '2', '-T', String(SECONDS), ...words]
  const { stdout } = await run('pgbench', [...flags, url], OPTIONS)
  const [, found] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (!found) throw new Error(`pgbench printed no rate: ${stdout}`)
  return Number(found)
}

async function startOurs(): Promise<Server> {
  const project = await makeProject({ 'config.toml': 'project_id = "pgbench"', 'undock.toml': 'durable = true' })
  const stack = await startStack({ workdir: project.folder, ports: 'free', engine: 'native' })
  return {
    url: stack.dbUrl,
    async stop() {
      await stack.stop()
      await project.remove()
    },
  }
}

async function startBare(): Promise<Server> {
  const { binaries } = openInstallation(DEFAULT_MAJOR)
  const user = ordinaryUser()
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'))
  if (user) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C' }, ...user }
  execFileSync(binaries.initdb, ['-D', folder, '-U', 'postgres', '--auth=trust'], { ...options, stdio: 'ignore' })
  const settings = ['-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  const child = spawn(binaries.postgres, ['-D', folder, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const log = createInterface({ input: child.stderr })
  for (let line = ''; !line.includes('ready to accept connections'); ) [line] = (await once(log, 'line')) as [string]
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
      await rm(folder, { recursive: true, force: true })
    },
  }
}
