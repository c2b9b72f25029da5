import { changedKeys } from '../../config/changes.ts'
import type { Config } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import { createLiveConfig } from '../../config/live-config.ts'
import { type ProjectConfig, readProjectConfig } from '../../config/project.ts'
import type { UndockSettings } from '../../config/settings.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import type { Connections } from '../../gateway/connections.ts'
import { listen } from '../../gateway/server.ts'
import { userCacheFolder } from '../../platform/cache-folder.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { processStart } from '../../platform/process.ts'
import { followGit } from '../branches/follow-git.ts'
import type { StackOptions } from '../stack/options.ts'
import type { StackParts } from '../stack/parts.ts'
import { versionWarnings } from './pinned-versions.ts'
import { assignPorts, configuredPorts, usedPorts } from './port-assignment.ts'
import { certificateOf, createPortClaims, databaseCertificate, type PortClaims, withPorts } from './ports.ts'
import { type PublishedRecord, publishRecord } from './record.ts'
import {
  checkPersistentState,
  ephemeralState,
  lockPath,
  makeStateFolder,
  persistentState,
  type StateFolders,
} from './state-folders.ts'

/** Where a stack runs: its project's settings, the folders of its state, and its ports. The API's port is taken, the others are
 *  known to be free. */
export type StackPlace = {
  readonly workdir: string
  readonly config: Config
  readonly settings: UndockSettings
  readonly env: Env
  readonly host: string
  /** The keys of the files of settings that have other values now than at the start.
   *  @throws {ConfigError} when they cannot be read any more. */
  changedSettings(): string[]
  /** Reads the project with a text in the place of its config.toml. @throws {ConfigError} */
  readSettings(toml: string): ProjectConfig
  /** Takes over what the files say now of the settings that services read at each request. @throws {ConfigError} */
  applySettings(): void
  readonly cacheFolder: string
  readonly folders: StateFolders
  /** The entry of this stack among the running ones; undefined for a stack that keeps nothing. */
  readonly record: PublishedRecord | undefined
  /** The port of the API that config.toml names, which requests from within the database may still use. */
  readonly configuredApiPort: number
  /** The address of the API for edge functions. */
  readonly functionsApiUrl: string
  /** The connections of the API's clients. */
  readonly connections: Connections
  readonly claim: PortClaims['claim']
  /** The port to take for one of config.toml: 0 where the stack takes any free ones. */
  portOf(configured: number): number
  /** The certificate of the database's ports. */
  certificateForClients(): Promise<Certificate>
}

/** The database that undock.toml names belongs to the default backend, and a named one would write into it. */
class SharedDatabaseError extends Error {
  override readonly name = 'SharedDatabaseError'

  constructor(name: string) {
    super(
      `The backend "${name}" cannot use the database at database_url in supabase/undock.toml: it has data of its own.\n` +
        'Name another database with --db-url or UNDOCK_DATABASE_URL, or remove database_url.',
    )
  }
}

type PlaceOptions = Required<Pick<StackOptions, 'workdir' | 'name' | 'ports' | 'state' | 'tell'>> &
  Pick<StackOptions, 'env' | 'from' | 'engine'> & { readonly startedAt: string; readonly parts: StackParts }

/** Takes a stack's lock, folders and ports, so that conflicts are reported before anything else is done.
 *  @throws {ConfigError | StateFolderError | SharedDatabaseError | PortInUseError | LockedError} with what to do about it. */
export async function claimStackPlace(options: PlaceOptions): Promise<StackPlace> {
  const { workdir, name, ports, state, tell, parts } = options
  const asked = readProjectConfig(workdir, options.env)
  const { host } = asked.settings
  const environment = options.env ?? process.env
  const isSharedDatabase = asked.settings.database_url && !environment.UNDOCK_DATABASE_URL && !options.engine
  if (name !== null && isSharedDatabase) throw new SharedDatabaseError(name)
  const cacheFolder = userCacheFolder(environment)
  const record =
    state === 'disk' ? await publish(options, { url: asked.config.api.external_url, cacheFolder }) : undefined
  const branch = record && asked.settings.branches === 'git' ? await followGit(workdir, name) : null
  if (branch) tell({ kind: 'branch', branch })
  const folders = record ? persistentState(workdir, name) : await ephemeralState(workdir, options.from)
  parts.add('the temporary files', { close: folders.discard })

  const assigned =
    record && ports === 'config'
      ? await assignPorts({ workdir, name, configured: configuredPorts(asked.config), host, cacheFolder })
      : null
  if (assigned && assigned.reason !== 'named') tell({ kind: 'other-ports', assigned })
  const placed = assigned ? readProjectConfig(workdir, withPorts(asked, assigned.ports)) : asked
  await record?.update({
    url: placed.config.api.external_url,
    ports: ports === 'config' ? usedPorts(configuredPorts(placed.config)) : [],
  })
  const portOf = (configured: number): number => (ports === 'free' ? 0 : configured)
  const { claim, claimApi, probe } = createPortClaims(host, assigned?.file ?? null)
  const certificate = await certificateOf(asked, folders.certificate)
  const listener = parts.addListener('the listener', await claimApi(portOf(placed.config.api.port), certificate))
  // Edge functions do not trust a certificate that was made here: they are given an address that needs none.
  const inner = certificate && parts.addListener('the inner listener', await listen('127.0.0.1', 0))
  const {
    config: started,
    settings,
    warnings,
    env,
  } = ports === 'free' ? readProjectConfig(workdir, withPorts(asked, { api: listener.port })) : placed

  const { config, apply } = createLiveConfig(started)
  const known = createLiveConfig(asked.config)

  await endLeftoverServer(folders.database)
  await probe(portOf(config.db.port), 'the database')
  if (config.db.pooler.enabled) await probe(portOf(config.db.pooler.port), 'the pooler')
  if (config.local_smtp.enabled) await probe(portOf(config.local_smtp.port), 'the mail inbox (local_smtp.port)')
  for (const warning of [...warnings, ...versionWarnings(workdir, config.db.major_version)])
    tell({ kind: 'warning', warning })
  return {
    workdir,
    config,
    settings,
    env,
    host,
    changedSettings() {
      const now = readProjectConfig(workdir, options.env)
      return [...known.pending(now.config), ...changedKeys(asked.settings, now.settings)].filter(
        (key) => !/^auth\.email\.(?:template|notification)\./.test(key),
      )
    },
    readSettings: (text) => readProjectConfig(workdir, options.env, { text }),
    applySettings() {
      const now = readProjectConfig(workdir, options.env)
      apply(now.config)
      known.apply(now.config)
    },
    cacheFolder: userCacheFolder(env),
    folders,
    record,
    configuredApiPort: asked.config.api.port,
    functionsApiUrl: inner ? `http://127.0.0.1:${inner.port}` : config.api.external_url,
    connections: listener.connections,
    claim,
    portOf,
    certificateForClients: () => databaseCertificate(host, userCacheFolder(env)),
  }
}

/** Locks the folder of the state and lists the stack among the running ones. */
async function publish(
  { workdir, name, startedAt, tell, parts }: PlaceOptions,
  { url, cacheFolder }: { url: string; cacheFolder: string },
): Promise<PublishedRecord> {
  await checkPersistentState(workdir, name)
  await makeStateFolder(workdir)
  const record = await publishRecord(
    { pid: process.pid, processStart: processStart(process.pid), startedAt, workdir, name, url, ports: [] },
    {
      lockPath: lockPath(workdir, name),
      cacheFolder,
      onUnlisted: ({ message }) => tell({ kind: 'unlisted', reason: message }),
    },
  )
  // Last of all, because another process may use the folder from then on.
  parts.addLast({ name: 'the lock', close: record.remove })
  return record
}
