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
import { type Catalogue, loadSchemaCache, updateSchemaCache } from './load.ts'
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

/** The channel on which `notify pgrst, 'reload schema'` asks for a reload; 45_rest.sql makes DDL do so by itself, and
 *  names the relations where nothing else has changed. */
const CHANNEL = 'pgrst'
const RELOADS = new Set(['', 'reload schema', 'reload config'])
const RELATIONS = /^reload relations ([\d,]+)$/

/** More than these are read sooner with all others. */
const FEW = 200

/** Loads the cache and keeps it in step with the database. The first load goes on while the rest of the stack starts;
 *  a request that comes sooner waits for it. */
export async function holdSchemaCache(db: Db, config: ApiConfig, log: Log): Promise<SchemaCacheHolder> {
  const unlisten = await db.listen(CHANNEL, (payload) => {
    // Loaded by the next request, once for however many statements a migration has.
    if (RELOADS.has(payload)) stale = 'all'
    else if (stale !== 'all') {
      const relations = RELATIONS.exec(payload)?.[1]
      if (relations !== undefined) stale = new Set([...(stale ?? []), ...relations.split(',')])
    }
  })
  let stale: ReadonlySet<string> | 'all' | null = null
  let catalogue: Catalogue | null = null
  let known: Known | null = null
  let loading = reload('all')
  loading.catch(() => undefined)

  async function load(changed: ReadonlySet<string> | 'all'): Promise<Known> {
    if (known !== null && catalogue !== null && changed !== 'all' && changed.size <= FEW) {
      const updated = await updateSchemaCache(db, known.settings, catalogue, changed)
      if (updated !== null) {
        catalogue = updated.catalogue
        return { ...known, cache: updated.cache }
      }
    }
    const { overrides, session, roles } = await loadDatabaseSettings(db)
    const settings = mergeSettings(config, overrides)
    const loaded = await loadSchemaCache(db, settings)
    catalogue = loaded.catalogue
    return { settings, sessionSettings: session, roleSettings: roles, cache: loaded.cache }
  }

  async function reload(changed: ReadonlySet<string> | 'all'): Promise<Known> {
    try {
      const loaded = await load(changed)
      known = loaded
      return loaded
    } catch (error) {
      stale = 'all'
      log.error('The schema cache could not be loaded', error)
      throw restError('PGRST002', [], { cause: error })
    }
  }

  return {
    current() {
      if (stale !== null) {
        const changed = stale
        stale = null
        // After the one that is under way, whose catalogue this one goes on from.
        loading = loading.then(
          () => reload(changed),
          () => reload('all'),
        )
      }
      return loading
    },
    close: () => unlisten(),
  }
}
