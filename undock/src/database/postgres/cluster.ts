import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicHost } from '../../config/public-host.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { makeTemporaryFolder } from '../../platform/folders.ts'
import { ENGINE_USER } from '../as-project-user.ts'
import { HTTP_PROGRAM, httpProgram } from '../extensions/http/program.ts'
import { type Installation, openInstallation } from './installation.ts'
import { type KeyLogin, openKeyLogin } from './key-login.ts'
import { makeFolderFor, ordinaryUser, reachableNode, type User } from './ordinary-user.ts'
import { DEFAULT_MAJOR, type Major, majorOf } from './postgres-package.ts'
import { ClusterError, startPostmaster } from './postmaster.ts'

export type ClusterOptions = {
  readonly major: Major
  readonly folder: string
  readonly host: string
  readonly port: number
  /** Whether acknowledged writes survive a crash; tests are faster without. */
  readonly isDurable: boolean
  /** Served to clients that ask for TLS; declined without one. */
  readonly certificate?: Certificate
  readonly reservesSpace?: boolean
  readonly settings: Readonly<Record<string, string>>
  log(line: string): void
}

export type Cluster = {
  readonly port: number
  /** The server's addresses, without a database, for the stack's own user and for a project's clients. */
  readonly address: string
  readonly publicAddress: string
  /** Returns the address for any user, with this process's key; null without Unix sockets (Windows). */
  readonly addressAs: ((user: string) => string) | null
  close(): Promise<void>
}

/** Every login role's password, as with `supabase start`. */
const PASSWORD = 'postgres'

const HAS_FILE_SOCKETS = process.platform !== 'win32'

/** The passwords are public, and a superuser can run programs, so superusers can't log in by TCP. The stack uses a Unix
 *  socket and the process's key, because the project's code could reach the socket from within the server. Others may
 *  log in from every address that reaches the host; initdb would allow only this machine. */
const hostBased = ({ method }: KeyLogin): string => `local all all ${method}
host all ${ENGINE_USER} all reject
host all all all scram-sha-256
`

/** Creates a folder that no other user can enter. The project's folder may have too long a path for a socket. */
function makeSocketFolder(user: User | null): string {
  // A socket's path has at most 103 bytes.
  const folder = makeTemporaryFolder('pg', tmpdir().length > 60 ? '/tmp' : tmpdir())
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

/** Starts Postgres on a data directory, created if missing. It refuses to run as root, so root runs it as another user.
 *  @throws {ClusterError | NoBinariesError | UnreachableFolderError} */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const installation = openInstallation(options.major)
  const user = ordinaryUser()
  const { folder, host } = options
  makeFolderFor(user, folder)
  // Postgres refuses a folder that others can read, as a copy of it may be.
  if (process.platform !== 'win32') chmodSync(folder, 0o700)
  if (!existsSync(join(folder, 'PG_VERSION'))) initialise(installation, folder, user)
  const sockets = HAS_FILE_SOCKETS ? makeSocketFolder(user) : null
  const login = HAS_FILE_SOCKETS ? await openKeyLogin() : null
  const write = (name: string, text: string, mode = 0o600): void => {
    writeFileSync(join(folder, name), text, { mode })
    if (user) chownSync(join(folder, name), user.uid, user.gid)
  }
  write('pg_hba.conf', login ? hostBased(login) : 'host all all all scram-sha-256\n')
  const node = reachableNode(user)
  if (HAS_FILE_SOCKETS && node) write(HTTP_PROGRAM, httpProgram(node), 0o700)
  if (options.certificate) write('server.crt', options.certificate.cert)
  if (options.certificate) write('server.key', options.certificate.key)
  const port = options.port || (await freePort(host))
  const removeSockets = (): void => {
    login?.close()
    if (sockets) rmSync(sockets, { recursive: true, force: true })
  }
  const postmaster = await startPostmaster({
    program: installation.binaries.postgres,
    args: ['-D', folder, ...argumentsOf(parameters(options, port, sockets))],
    folder,
    env: environment(folder),
    user,
    reservesSpace: options.reservesSpace ?? false,
    log: options.log,
  }).catch((error: unknown) => {
    removeSockets()
    throw error
  })
  const addressOf = (user: string, name: string): string => `postgresql://${user}:${PASSWORD}@${name}:${port}`
  const addressAs =
    sockets === null || login === null
      ? null
      : (user: string) => `postgresql://${encodeURIComponent(user)}:${login.key}@${encodeURIComponent(sockets)}:${port}`
  return {
    port,
    address: addressAs?.(ENGINE_USER) ?? addressOf(ENGINE_USER, host === '0.0.0.0' ? '127.0.0.1' : publicHost(host)),
    addressAs,
    publicAddress: addressOf('postgres', publicHost(host)),
    async close() {
      // Fast shutdown for durable data, immediate for the rest; Windows has no signals.
      await postmaster.stop((child) => {
        if (process.platform === 'win32') stopServer(folder)
        else child.kill(options.isDurable ? 'SIGINT' : 'SIGQUIT')
      })
      removeSockets()
    },
  }
}

/** Stops the server on a data directory, whichever process started it. */
export function stopServer(folder: string): void {
  spawnSync(
    openInstallation(majorOf(folder) ?? DEFAULT_MAJOR).binaries.pgCtl,
    ['stop', '-D', folder, '-m', 'fast', '-s'],
    {
      stdio: 'ignore',
      ...ordinaryUser(),
    },
  )
}

/** Locales with Unicode letters, by platform, for full text search before PostgreSQL 18. "C" only knows ASCII. */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'UTF-8', 'C']

function initialise({ major, binaries }: Installation, folder: string, user: User | null): void {
  const passwordFile = `${folder}.password`
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  try {
    const run = (characterType: string) =>
      spawnSync(
        binaries.initdb,
        [
          ['-D', folder],
          ['--username', ENGINE_USER, '--pwfile', passwordFile, '--auth=scram-sha-256'],
          // The same sort order on every platform.
          ['--encoding=UTF8', '--locale=C', `--lc-ctype=${characterType}`],
          major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale-provider=libc'],
          ['--no-sync', '--wal-segsize=4'],
        ].flat(),
        { encoding: 'utf8', env: environment(folder), ...user },
      )
    const results = CHARACTER_TYPES.values().map(run)
    const result = results.find(({ stderr }) => !/invalid locale name/.test(stderr ?? ''))
    if (result?.status !== 0) throw new ClusterError(`initdb failed: ${result?.error?.message ?? result?.stderr}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Connections that the project's SQL opens must not use the developer's PG variables, certificates and password file. */
const environment = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))),
  ...{ HOME: folder, LC_ALL: 'C', TZ: 'UTC' },
})

function parameters(options: ClusterOptions, port: number, sockets: string | null): Record<string, string> {
  return {
    listen_addresses: options.host,
    port: String(port),
    unix_socket_directories: sockets ?? '',
    max_connections: '200',
    shared_buffers: '64MB',
    effective_cache_size: '128MB',
    default_text_search_config: 'pg_catalog.english',
    extra_float_digits: '0',
    search_path: '"$user", public, extensions',
    TimeZone: 'UTC',
    log_timezone: 'UTC',
    shared_preload_libraries: openInstallation(options.major).preloaded.join(','),
    ssl: options.certificate ? 'on' : 'off',
    // Clients see their failed statements; the log needn't.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    // Clients may replicate, as from a hosted project.
    wal_level: 'logical',
    // Keeps rasters of the machine's PostGIS from reading files or addresses. Only a superuser can change these.
    'postgis.gdal_enabled_drivers': 'DISABLE_ALL',
    'postgis.enable_outdb_rasters': 'off',
    // Before a recovery the server flushes thousands of files one by one, unless the system can flush all together.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    ...(options.isDurable ? {} : EPHEMERAL_SETTINGS),
    ...options.settings,
    ...(openInstallation(options.major).hasProjectRights ? {} : SETTINGS_WITHOUT_RIGHTS),
  }
}

/** Otherwise a replicating client could name any file for the server to load. */
const SETTINGS_WITHOUT_RIGHTS = { wal_level: 'replica', max_wal_senders: '0' }

const EPHEMERAL_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
}

const argumentsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
