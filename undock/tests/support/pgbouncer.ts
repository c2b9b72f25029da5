import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolderFor, ordinaryUser } from '../../src/database/postgres/ordinary-user.ts'
import { makeTemporaryFolder } from '../../src/platform/folders.ts'
import { findProgram, untilListening } from '../../src/testing/nats-server.ts'
import { freePort } from './project.ts'

const program = findProgram('pgbouncer')

/** Whether PgBouncer is installed. */
export const hasPgBouncer = program !== undefined

export type PgBouncer = {
  readonly port: number
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends it permanently. */
  close(): Promise<void>
}

/** PgBouncer in transaction mode as required by `docs/serve.md`.
 *  @param databaseUrl Where it connects to; its clients log in with the same name and password. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const folder = makeTemporaryFolder('pgbouncer')
  makeFolderFor(ordinaryUser(), folder)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
pool_mode = transaction
max_prepared_statements = 1000
default_pool_size = 20
max_client_conn = 500
server_login_retry = 1
`,
  )
  let child: ChildProcess | null = null
  const pooler: PgBouncer = {
    port,
    async start() {
      child = spawn(program ?? 'pgbouncer', ['-q', file], { ...ordinaryUser(), stdio: 'ignore' })
      await untilListening(port)
    },
    async stop() {
      if (!child) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      child = null
    },
    async close() {
      await pooler.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await pooler.start()
  return pooler
}
