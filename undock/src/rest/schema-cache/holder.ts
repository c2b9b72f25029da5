import { isDeepStrictEqual } from 'node:util'
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
import { type Catalogue, isCurrent, loadSchemaCache, updateSchemaCache } from './load.ts'
import type { SchemaCache } from './model.ts'
import { CHANNEL, readNotice, type Stale, together } from './notices.ts'

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
  /** Nothing that is known holds any more: it is another database. */
  forget(): void
  close(): Promise<void>
}

/** More relations than these are read sooner with all others. */
const FEW = 200

/** Loads the cache and keeps it in step with the database. The first load goes on while the rest of the stack starts;
 *  a request that comes sooner waits for it. */
export async function holdSchemaCache(db: Db, config: ApiConfig, log: Log): Promise<SchemaCacheHolder> {
  const unlisten = await db.listen(CHANNEL, (payload) => {
    // Loaded by the next request, once for however many statements a migration has.
    stale = together(stale, readNotice(payload))
  })
  let stale: Stale | null = null
  let catalogue: Catalogue | null = null
  let known: Known | null = null
  let loading = reload('anew')
  loading.catch(() => undefined)

  async function load(changed: Stale): Promise<Known> {
    if (known !== null && catalogue !== null && typeof changed === 'object' && changed.relations.size <= FEW) {
      const updated = await updateSchemaCache(db, known.settings, catalogue, changed)
      catalogue = updated.catalogue
      return { ...known, cache: updated.cache }
    }
    const { overrides, session, roles } = await loadDatabaseSettings(db)
    const settings = mergeSettings(config, overrides)
    const around = { settings, sessionSettings: session, roleSettings: roles }
    if (known !== null && catalogue !== null && changed === 'unknown' && isDeepStrictEqual(settings, known.settings)) {
      if (await isCurrent(db, catalogue)) return { ...around, cache: known.cache }
    }
    const loaded = await loadSchemaCache(db, settings)
    catalogue = loaded.catalogue
    return { ...around, cache: loaded.cache }
  }

  async function reload(changed: Stale): Promise<Known> {
    try {
      const loaded = await load(changed)
      known = loaded
      return loaded
    } catch (error) {
      catalogue = null
      stale ??= 'unknown'
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
        const next = (): Promise<Known> => reload(changed)
        loading = loading.then(next, next)
      }
      return loading
    },
    forget() {
      stale = 'anew'
    },
    close: () => unlisten(),
  }
}
