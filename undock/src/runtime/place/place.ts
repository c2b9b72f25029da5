import type { Config } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import { createLiveConfig } from '../../config/live-config.ts'
import { type ProjectConfig, readProjectConfig } from '../../config/project.ts'
import type { UndockSettings } from '../../config/settings.ts'
import { changedKeys } from '../../config/values.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import type { Connections } from '../../gateway/connections.ts'
import { listen } from '../../gateway/server.ts'
import { UserError } from '../../kernel/service-error.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { userCacheFolder } from '../../platform/folders.ts'
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

/** Where a stack runs: its settings, state folders and ports. The API's port is bound; the others were free when
 *  checked. */
export type StackPlace = {
  readonly workdir: string
  readonly config: Config
  readonly settings: UndockSettings
  readonly env: Env
  readonly host: string
  /** Returns the keys of settings that changed in the files since the start.
   *  @throws {ConfigError} if they can't be read. */
  changedSettings(): string[]
  /** Reads the project as if config.toml had this text. @throws {ConfigError} */
  readSettings(toml: string): ProjectConfig
  /** Applies changes to settings that services read per request. @throws {ConfigError} */
  applySettings(keys?: readonly string[]): void
  readonly cacheFolder: string
  readonly folders: StateFolders
  /** This stack's entry in the list of running ones; undefined if it keeps nothing. */
  readonly record: PublishedRecord | undefined
  /** config.toml's API port, which requests from the database may still use. */
  readonly configuredApiPort: number
  /** The API's address for edge functions. */
  readonly functionsApiUrl: string
  readonly connections: Connections
  readonly claim: PortClaims['claim']
  /** Returns the port to bind for one in config.toml: 0 if the stack takes any free ones. */
  portOf(configured: number): number
  /** The certificate for the database's ports. */
  certificateForClients(): Promise<Certificate>
}

class SharedDatabaseError extends UserError {
  constructor(name: string) {
    super(
      `The backend "${name}" can't use the database at database_url in supabase/undock.toml: it has its own data.\n` +
        'Set another database with --db-url or UNDOCK_DATABASE_URL, or remove database_url.',
    )
  }
}

type PlaceOptions = Required<Pick<StackOptions, 'workdir' | 'name' | 'ports' | 'state' | 'tell'>> &
  Pick<StackOptions, 'env' | 'from' | 'engine'> & { readonly startedAt: string; readonly parts: StackParts }

/** Claims a stack's lock, folders and ports first, to report conflicts before doing anything else.
 *  @throws {ConfigError | StateFolderError | SharedDatabaseError | PortInUseError | LockedError} with what to do about
 *  it. */
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
  // Edge functions don't trust a self-signed certificate, so they get an address without TLS.
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
    applySettings(keys) {
      const now = readProjectConfig(workdir, options.env)
      apply(now.config, keys)
      known.apply(now.config, keys)
    },
    cacheFolder,
    folders,
    record,
    configuredApiPort: asked.config.api.port,
    functionsApiUrl: inner ? `http://127.0.0.1:${inner.port}` : config.api.external_url,
    connections: listener.connections,
    claim,
    portOf,
    certificateForClients: () => databaseCertificate(host, cacheFolder),
  }
}

/** Locks the state folder and lists the stack as running. */
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
  // Last, because another process may then use the folder.
  parts.addLast({ name: 'the lock', close: record.remove })
  return record
}
