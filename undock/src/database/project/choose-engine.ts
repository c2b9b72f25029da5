import { debianPackage, KNOWN_EXTENSIONS } from '../extensions/known-extensions.ts'
import { type Installation, provideInstallation } from '../postgres/installation.ts'
import { foldersClosedTo, ordinaryUser, reachableNode } from '../postgres/ordinary-user.ts'
import {
  DEFAULT_MAJOR,
  MAJORS,
  type Major,
  majorFor,
  NoBinariesError,
  packageName,
} from '../postgres/postgres-package.ts'
import type { EngineInUse } from '../session.ts'
import { folderOf, lastUsedFormat } from './kept-data.ts'
import { type ContentSource, readContent } from './project-content.ts'

const AFTERWARDS =
  'To change, stop the backend and save the rows with `undock db dump --data-only -f data.sql`. Then `undock reset` deletes rows, users and files (`undock undo` restores them), and starts over on the native engine.'

type ChoiceOptions = ContentSource & { readonly dataFolder: string | null }

export type EngineChoice =
  | { readonly engine: 'native'; readonly installation: Installation }
  | ({ readonly engine: 'pglite' } & Pick<EngineInUse, 'reason' | 'remedy'>)

/** Extensions that PGlite can load and the native engine can't, unless compiled or installed. */
const EMBEDDED_ONLY = Object.keys(KNOWN_EXTENSIONS).filter((name) => KNOWN_EXTENSIONS[name]?.onPglite)

/** Resolves `engine = "auto"`: native Postgres if its programs run and it has the extensions that the project's files
 *  create, otherwise PGlite. Existing data stays with the engine that made it. */
export async function chooseEngine(options: ChoiceOptions): Promise<EngineChoice> {
  const { dataFolder, config } = options
  const kept: EngineChoice | null =
    dataFolder && lastUsedFormat(dataFolder) === 'pglite'
      ? { engine: 'pglite', reason: `it created the data in ${dataFolder}`, remedy: AFTERWARDS }
      : null
  // Otherwise another major would be fetched only to find out what the native engine lacks.
  if (kept && majorFor(config.db.major_version) !== DEFAULT_MAJOR) return kept
  // A superuser who can log in with a known password could run programs. Elsewhere superusers use a private socket.
  if (process.platform === 'win32')
    return {
      engine: 'pglite',
      reason: 'on Windows the superuser of a native server cannot be kept from logging in',
      remedy: 'The native engine runs in the Windows Subsystem for Linux.',
    }
  const user = ordinaryUser()
  const closed = user && dataFolder ? foldersClosedTo(user, dataFolder) : []
  if (closed.length > 0)
    return {
      engine: 'pglite',
      reason: `PostgreSQL refuses to run as root, and other users can't enter ${closed.join(' and ')}`,
      remedy: `Run undock as an ordinary user, or let others pass: chmod o+x ${closed.join(' ')}.`,
    }
  let installation: Installation
  try {
    installation = await installationFor(options)
  } catch (error) {
    if (error instanceof NoBinariesError)
      return { engine: 'pglite', reason: error.message.replace(/\.$/, ''), remedy: fetchedLater(config) }
    throw error
  }
  const { extensions } = await readContent({ ...options, tell: () => undefined })
  const shimmed = reachableNode(user) ? ['http'] : []
  const missing = EMBEDDED_ONLY.filter(
    (name) => extensions.has(name) && !installation.extensions.has(name) && !shimmed.includes(name),
  )
  if (missing.length === 0) return kept ?? { engine: 'native', installation }
  const named = missing.map((name) => {
    const reason = installation.unusable[name]
    return reason ? `${name} (${reason})` : name
  })
  return {
    engine: 'pglite',
    reason: `the native engine has no ${named.join(', ')} on this machine`,
    remedy: remedyFor(missing, installation.major, dataFolder !== null),
  }
}

const fetchedLater = ({ db }: ChoiceOptions['config']): string | null =>
  majorFor(db.major_version) === DEFAULT_MAJOR
    ? null
    : `Start once with a network connection to fetch it, or use db.major_version = ${DEFAULT_MAJOR}, which needs no download.`

/** undock takes extensions from its package for this platform, and from a PostgreSQL of the same major. */
function remedyFor(missing: readonly string[], major: Major, isKept: boolean): string {
  const packages = [...new Set(missing.map((name) => debianPackage(name, major)))]
  const afterwards = isKept ? ` ${AFTERWARDS}` : ''
  return (
    `It takes extensions from the npm package ${packageName(major)}, or from a PostgreSQL ${major} of this machine that has them ` +
    `(Debian, Ubuntu: ${packages.join(', ')}).${afterwards}`
  )
}

/** Opens the installation that runs a project natively: the major that made the existing data (and says so if the
 *  configuration names another), otherwise the configuration's. It may have to be fetched.
 *  @throws {NoBinariesError} */
export async function installationFor(options: ChoiceOptions): Promise<Installation> {
  const { config, dataFolder, tell } = options
  const configured = majorFor(config.db.major_version)
  const existing = dataFolder ? (lastUsedFormat(dataFolder, MAJORS) as Major | null) : null
  if (dataFolder && existing && existing !== configured)
    tell({ kind: 'other-major', kept: existing, configured, folder: folderOf(dataFolder, existing) })
  const major = existing ?? configured
  const { extensions } = await readContent({ ...options, tell: () => undefined })
  return provideInstallation(major, (pack) => tell({ kind: 'fetching-postgres', major, pack }), extensions)
}
