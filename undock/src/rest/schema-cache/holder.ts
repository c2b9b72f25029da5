import type { Db, Settings } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { restError } from '../errors.ts'
import {
  type ApiConfig,
  loadDatabaseSettings,
  mergeSettings,
  type RestSettings,
  type RoleSettings,
} from '../settings.ts'
import { loadSchemaCache } from './load.ts'
import type { SchemaCache } from './model.ts'

/** All that is known of the database between two reloads. */
export type Known = {
  readonly settings: RestSettings
  /** Of the session, whoever asks. */
  readonly sessionSettings: Settings
  readonly roleSettings: ReadonlyMap<string, RoleSettings>
  readonly cache: SchemaCache
}

export type SchemaCacheHolder = {
  /** What holds now; waits for a reload that has been asked for. */
  current(): Promise<Known>
  close(): Promise<void>
}

/** The channel on which `notify pgrst, 'reload schema'` asks for a reload; 45_rest.sql makes DDL do so by itself. */
const CHANNEL = 'pgrst'
const RELOADS = new Set(['', 'reload schema', 'reload config'])

/** Loads the cache and keeps it in step with the database. The first load goes on while the rest of the stack starts;
 *  a request that comes sooner waits for it. */
export async function holdSchemaCache(db: Db, config: ApiConfig, log: Log): Promise<SchemaCacheHolder> {
  const unlisten = await db.listen(CHANNEL, (payload) => {
    if (!RELOADS.has(payload)) return
    // Loaded by the next request, once for however many statements a migration has.
    stale = true
  })
  let stale = false
  let known: Known | null = null
  let loading = reload()
  loading.catch(() => undefined)

  async function load(): Promise<Known> {
    const { overrides, session, roles } = await loadDatabaseSettings(db)
    const settings = mergeSettings(config, overrides)
    return { settings, sessionSettings: session, roleSettings: roles, cache: await loadSchemaCache(db, settings) }
  }

  async function reload(): Promise<Known> {
    stale = false
    try {
      known = await load()
      return known
    } catch (error) {
      stale = true
      log.error('The schema cache could not be loaded', error)
      throw restError('PGRST002', [], { cause: error })
    }
  }

  return {
    async current() {
      if (known !== null && !stale) return known
      if (stale) {
        known = null
        loading = reload()
      }
      return loading
    },
    close: () => unlisten(),
  }
}
