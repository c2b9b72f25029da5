import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { NoBinariesError } from '../postgres/binaries.ts'
import { type Installation, openInstallation } from '../postgres/installation.ts'
import { folderClosedTo, ordinaryUser } from '../postgres/ordinary-user.ts'
import { dataMark, nativeFolder } from './kept-data.ts'
import { type ContentSource, readContent } from './project-content.ts'

export type EngineChoice =
  | { readonly engine: 'native' }
  /** `reason` completes the sentence "PGlite runs this project's database, because …". */
  | { readonly engine: 'pglite'; readonly reason: string }

/** What PGlite can load and the native engine cannot, unless it was compiled or brought along. */
const EMBEDDED_ONLY = [
  'vector',
  'pgmq',
  'pg_hashids',
  'pg_ivm',
  'pg_uuidv7',
  'http',
  'postgis',
  'postgis_topology',
  'postgis_tiger_geocoder',
]

/** `engine = "auto"`: the native Postgres where its programs run and have the extensions that the project's files create,
 *  else PGlite. Data that is kept stays with the engine that made it. */
export async function chooseEngine(
  options: ContentSource & { readonly dataFolder: string | null },
): Promise<EngineChoice> {
  const { dataFolder } = options
  if (dataFolder && lastUsed(dataFolder) > lastUsed(nativeFolder(dataFolder)))
    return {
      engine: 'pglite',
      reason: `it made the data in ${dataFolder}; \`undock db move\` copies that to the native engine, \`undock reset\` begins anew there`,
    }
  // A superuser who logs in by a known password could run programs; elsewhere it comes by a socket of its own.
  if (process.platform === 'win32')
    return { engine: 'pglite', reason: 'on Windows the superuser of a native server cannot be kept from logging in' }
  const user = ordinaryUser()
  const closed = user && dataFolder ? folderClosedTo(user, dataFolder) : null
  if (closed)
    return { engine: 'pglite', reason: `PostgreSQL refuses to run as root, and ${closed} is closed to others` }
  let installation: Installation
  try {
    installation = openInstallation()
  } catch (error) {
    if (error instanceof NoBinariesError)
      return { engine: 'pglite', reason: 'the programs of PostgreSQL are not installed for this platform' }
    throw error
  }
  const { extensions } = await readContent({ ...options, tell: () => undefined })
  const missing = EMBEDDED_ONLY.filter((name) => extensions.has(name) && !installation.extensions.has(name))
  if (missing.length === 0) return { engine: 'native' }
  return {
    engine: 'pglite',
    reason: `the native engine has no ${missing.join(', ')} on this machine (undock/native/README.md says how it is compiled)`,
  }
}

/** When an engine last opened the data in its folder; 0 where there is none. */
const lastUsed = (folder: string): number =>
  existsSync(join(folder, dataMark)) ? statSync(join(folder, dataMark)).mtimeMs : 0
