import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findBinaries } from '../../src/database/postgres/binaries.ts'
import { makeFolderFor, ordinaryUser } from '../../src/database/postgres/ordinary-user.ts'
import { makeTemporaryFolder } from '../../src/platform/temporary-folder.ts'
import { freePort } from './project.ts'

export type PlainServer = {
  readonly port: number
  /** The URL of a new database for a superuser with a password of its own. */
  readonly url: string
  readonly process: ChildProcess
  close(): Promise<void>
}

const PASSWORD = 'not-a-known-one'

/** PostgreSQL as a provider runs it: its own programs, nothing of undock in it. */
export async function startPlainServer(): Promise<PlainServer> {
  const { initdb, postgres } = findBinaries(17)
  const user = ordinaryUser()
  const folder = makeTemporaryFolder('server')
  makeFolderFor(user, folder)
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, PASSWORD)
  const data = join(folder, 'data')
  const made = spawnSync(initdb, ['-D', data, '-U', 'owner', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-N'], {
    ...user,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stderr)
  const port = await freePort()
  const settings = { port, fsync: 'off', unix_socket_directories: '', max_connections: 200 }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(postgres, ['-D', data, ...words], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(server, 'exit')
  let log = ''
  server.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const urlOf = (database: string): string => `postgresql://owner:${PASSWORD}@127.0.0.1:${port}/${database}`
  const client = await connect(urlOf('postgres'), () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended:\n${log}`)
  })
  await client.query('create database app')
  await client.end()
  return {
    port,
    url: urlOf('app'),
    process: server,
    async close() {
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Connects as soon as the server takes connections. */
async function connect(url: string, check: () => void): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return client
    } catch {
      check()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
