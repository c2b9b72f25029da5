import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { publicHost } from '../../config/public-host.ts'
import { ENGINE_USER } from '../engine/engine-user.ts'
import { findBinaries } from './binaries.ts'
import { writeExtensions } from './native-extensions.ts'
import { makeFolderFor, ordinaryUser, type User } from './ordinary-user.ts'

export type ClusterOptions = {
  readonly folder: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Whether what was acknowledged must outlive a power cut; tests are faster without. */
  readonly durable: boolean
  /** Parameters of the server beside our own. */
  readonly settings: Readonly<Record<string, string>>
  /** What the server writes to its log. */
  log(line: string): void
}

export type Cluster = {
  readonly port: number
  /** The server's address for the stack's own user, and for a project's; without a database. */
  readonly address: string
  readonly publicAddress: string
  close(): Promise<void>
}

/** Every role that may log in has the password of `supabase start`. */
const PASSWORD = 'postgres'

/** The server did not start. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}

/** Milliseconds a recovery after a kill may take. */
const START_LIMIT = 60_000

/** Starts Postgres on a data directory of ours, which it makes when there is none. Where undock runs as root it runs as
 *  an ordinary user, for it refuses to be root.
 *  @throws {ClusterError | NoBinariesError | UnreachableFolderError} */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { postgres } = findBinaries()
  const user = ordinaryUser()
  const { folder, host } = options
  makeFolderFor(user, folder)
  if (!existsSync(join(folder, 'PG_VERSION'))) initialise(folder, user)
  // Whoever reaches the host that it listens on may log in; initdb lets this machine alone.
  writeFileSync(join(folder, 'pg_hba.conf'), 'host all all all scram-sha-256\n')
  const port = options.port || (await freePort(host))
  const child = spawn(postgres, ['-D', folder, ...argumentsOf(parameters(options, port))], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    env: environment(),
    // Ctrl-C reaches all processes of a terminal; when the server ends is for undock to say.
    detached: process.platform !== 'win32',
    ...user,
  })
  await untilReady(child, options.log)
  const addressOf = (user: string, name: string): string => `postgresql://${user}:${PASSWORD}@${name}:${port}`
  return {
    port,
    address: addressOf(ENGINE_USER, host === '0.0.0.0' ? '127.0.0.1' : publicHost(host)),
    publicAddress: addressOf('postgres', publicHost(host)),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      // Fast shutdown where it lasts, immediate where it does not; Windows has no signals.
      if (process.platform === 'win32') stopServer(folder)
      else child.kill(options.durable ? 'SIGINT' : 'SIGQUIT')
      await exit
    },
  }
}

/** Ends the server on a data directory, whoever started it. */
export function stopServer(folder: string): void {
  spawnSync(findBinaries().pgCtl, ['stop', '-D', folder, '-m', 'fast', '-s'], { stdio: 'ignore', ...ordinaryUser() })
}

function initialise(folder: string, user: User | null): void {
  const { initdb } = findBinaries()
  const passwordFile = `${folder}.password`
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  try {
    const { status, stderr, error } = spawnSync(
      initdb,
      [
        ['-D', folder],
        ['--username', ENGINE_USER, '--pwfile', passwordFile, '--auth=scram-sha-256'],
        // The same order of texts on every platform.
        ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
        // The password is a public one: hashing it thousands of times protects nothing.
        ['--no-sync', '--wal-segsize=4', '-c', 'scram_iterations=1'],
      ].flat(),
      { encoding: 'utf8', env: environment(), ...user },
    )
    if (status !== 0) throw new ClusterError(`initdb failed: ${error?.message ?? stderr}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C', TZ: 'UTC' })

function parameters(options: ClusterOptions, port: number): Record<string, string> {
  return {
    listen_addresses: options.host,
    port: String(port),
    // Sockets in a shared folder would meet those of other servers.
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    effective_cache_size: '128MB',
    default_text_search_config: 'pg_catalog.english',
    extra_float_digits: '0',
    search_path: '"$user", public, extensions',
    TimeZone: 'UTC',
    log_timezone: 'UTC',
    shared_preload_libraries: 'pg_stat_statements',
    scram_iterations: '1',
    // Failed statements are told to whoever sent them.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    extension_control_path: `${extensionPath(writeExtensions(join(options.folder, 'undock-extensions')))}${process.platform === 'win32' ? ';' : ':'}$system`,
    ...(options.durable
      ? { wal_level: 'logical' }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', ...SMALL }),
    ...options.settings,
  }
}

/** For data that ends with the server. */
const SMALL = { shared_buffers: '32MB', wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '256MB' }

const argumentsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** The path's entries are separated as the platform does it, and end where a setting's value does. */
const extensionPath = (folder: string): string => folder.replaceAll('\\', '/')

function untilReady(child: ChildProcess, log: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = ''
    const timer = setTimeout(() => {
      child.kill('SIGQUIT')
      reject(new ClusterError(`Postgres was not ready within ${START_LIMIT / 1_000} s: ${told}`))
    }, START_LIMIT)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (told.length < 10_000) told += text
      for (const line of text.split('\n')) if (line) log(line)
      if (!told.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new ClusterError(`Postgres ended with code ${code}: ${told.trim()}`))
    })
  })
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
