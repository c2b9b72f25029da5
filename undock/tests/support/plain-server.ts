import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { chown, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { backUpCluster } from '../../src/database/postgres/base-backup.ts'
import { findBinaries } from '../../src/database/postgres/binaries.ts'
import { cannotReach, makeFolderFor, ordinaryUser } from '../../src/database/postgres/ordinary-user.ts'
import { makeTemporaryFolder } from '../../src/platform/folders.ts'
import { freePort } from './project.ts'

export type PlainServer = {
  readonly port: number
  /** The URL of a new database for a superuser with its own password. */
  readonly url: string
  readonly process: ChildProcess
  /** Starts a replica of this server. @param port Where it listens. @param through Where it reaches this server. */
  follow(port: number, through: number): Promise<PlainServer>
  /** From now on, commits wait for the replica. */
  waitForReplica(): Promise<void>
  /** Promotes the replica. */
  promote(): Promise<void>
  /** Ends all its processes, like a power loss. */
  kill(): Promise<void>
  close(): Promise<void>
}

const PASSWORD = 'not-a-known-one'
const DATABASE = 'app'

let programs: { readonly initdb: string; readonly postgres: string } | undefined

/** PostgreSQL's own programs, or a copy if their user can't enter the repository's folder. */
function findPrograms(): { readonly initdb: string; readonly postgres: string } {
  if (programs) return programs
  const { initdb, postgres } = findBinaries(17)
  const user = ordinaryUser()
  programs = { initdb, postgres }
  if (user && cannotReach(user, postgres)) {
    const copy = makeServerFolder()
    cpSync(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true })
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
    programs = { initdb: join(copy, 'bin', basename(initdb)), postgres: join(copy, 'bin', basename(postgres)) }
  }
  return programs
}

/** PostgreSQL as run by a provider: its own programs without undock. */
export async function startPlainServer(): Promise<PlainServer> {
  const folder = makeServerFolder()
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, PASSWORD)
  const made = spawnSync(
    findPrograms().initdb,
    ['-D', join(folder, 'data'), '-U', 'owner', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-N'],
    { ...ordinaryUser(), encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.error?.message ?? made.stderr)
  return startServer(folder, await freePort(), 'postgres', {})
}

function makeServerFolder(): string {
  const folder = makeTemporaryFolder('server')
  makeFolderFor(ordinaryUser(), folder)
  return folder
}

const urlOf = (port: number, database: string): string => `postgresql://owner:${PASSWORD}@127.0.0.1:${port}/${database}`

/** @param first The existing database. */
async function startServer(
  folder: string,
  port: number,
  first: string,
  own: Readonly<Record<string, string>>,
): Promise<PlainServer> {
  const data = join(folder, 'data')
  const settings = { port, fsync: 'off', unix_socket_directories: '', max_connections: 200, ...own }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(findPrograms().postgres, ['-D', data, ...words], {
    ...ordinaryUser(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  let log = ''
  server.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-10_000)
  })
  const ask = async (database: string, ...statements: readonly string[]): Promise<pg.QueryResult | undefined> => {
    const client = await connect(urlOf(port, database), () => {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended:\n${log}`)
    })
    client.on('error', () => undefined)
    let last: pg.QueryResult | undefined
    for (const statement of statements) last = await client.query(statement)
    await client.end()
    return last
  }
  await ask(first, ...(first === DATABASE ? [] : [`create database ${DATABASE}`]))
  const url = urlOf(port, DATABASE)
  return {
    port,
    url,
    process: server,
    async follow(replicaPort, through) {
      const replica = makeServerFolder()
      const copy = join(replica, 'data')
      await backUpCluster({ url, settings: {} }, data, copy, [])
      const signal = join(copy, 'standby.signal')
      await writeFile(signal, '')
      const user = ordinaryUser()
      if (user) await chown(signal, user.uid, user.gid)
      return startServer(replica, replicaPort, DATABASE, {
        primary_conninfo: `host=127.0.0.1 port=${through} user=owner password=${PASSWORD} application_name=replica`,
      })
    },
    async waitForReplica() {
      await ask(DATABASE, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()')
      for (;;) {
        const found = await ask(DATABASE, "select from pg_stat_replication where sync_state = 'sync'")
        if (found?.rowCount === 1) return
        await sleep(50)
      }
    },
    async promote() {
      await ask(DATABASE, 'select pg_promote()')
    },
    async kill() {
      const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
      const memory = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/\s+/)[1]
      server.kill('SIGKILL')
      for (const child of children) killIfThere(Number(child))
      await ended
      // Otherwise freed only by its next start.
      if (memory) spawnSync('ipcrm', ['-m', memory])
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
    async close() {
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Connects as soon as the server accepts connections. */
async function connect(url: string, check: () => void): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return client
    } catch {
      check()
      await sleep(50)
    }
  }
}
