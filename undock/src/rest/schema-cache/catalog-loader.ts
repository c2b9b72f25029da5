import { isDeepStrictEqual } from 'node:util'
import type { Db, Settings } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { restError } from '../errors.ts'
import {
  type ApiConfig,
  InvalidSettingError,
  loadDatabaseSettings,
  mergeSettings,
  type RestSettings,
  type RoleSettings,
} from '../settings.ts'
import { type CatalogRows, isCurrent, loadSchemaCache, updateSchemaCache } from './load.ts'
import type { SchemaCache } from './model.ts'
import {
  type Invalidation,
  mergeInvalidations,
  parseReloadNotification,
  RELOAD_CHANNEL,
} from './reload-notifications.ts'

/** What the Data API knows of the database. A reload creates a new object, so other caches can be keyed by it. */
export type Catalog = {
  readonly settings: RestSettings
  /** Settings of every request, whatever its role. */
  readonly sessionSettings: Settings
  readonly roleSettings: ReadonlyMap<string, RoleSettings>
  readonly cache: SchemaCache
}

export type CatalogLoader = {
  /** Returns the current catalog, waiting for a requested reload. */
  current(): Promise<Catalog>
  forget(): void
  close(): Promise<void>
}

const MAX_PARTIAL_RELOAD = 200

const OLD_ROLE_CLAIM =
  'pgrst.jwt_role_claim_key is written in the syntax before PostgREST 16, which is deprecated. Write it as a JSON path, such as $.roles[0].'

/** Loads the catalog and reloads it after changes. The stack's start doesn't wait for the first load; requests do.
 *
 *  Gain of partial reloads: at 1,000 tables a tenth of the CPU time after a change of one table. */
export async function createCatalogLoader(db: Db, config: ApiConfig, log: Log): Promise<CatalogLoader> {
  // A notification may arrive before `listen` has returned.
  let invalidation: Invalidation | null = null
  const unlisten = await db.listen(RELOAD_CHANNEL, (payload) => {
    // The next request reloads, once for all statements of a migration.
    invalidation = mergeInvalidations(invalidation, parseReloadNotification(payload))
  })
  let rows: CatalogRows | null = null
  let catalog: Catalog | null = null
  let isClosed = false
  let loading = reload('everything')
  loading.catch(() => undefined)

  async function load(changes: Invalidation): Promise<Catalog> {
    const isPartial = typeof changes === 'object' && changes.relations.size <= MAX_PARTIAL_RELOAD
    if (catalog !== null && rows !== null && isPartial) {
      const updated = await updateSchemaCache(db, catalog.settings, rows, changes)
      rows = updated.rows
      return { ...catalog, cache: updated.cache }
    }
    const { overrides, session, roles } = await loadDatabaseSettings(db, log)
    const settings = merge(overrides)
    const allSettings = { settings, sessionSettings: session, roleSettings: roles }
    if (catalog !== null && rows !== null && changes === 'unknown' && isDeepStrictEqual(settings, catalog.settings)) {
      const same = { ...allSettings, cache: catalog.cache }
      // Keep the same object if nothing changed, so that plans stay cached.
      if (await isCurrent(db, rows)) return isDeepStrictEqual(same, catalog) ? catalog : same
    }
    const loaded = await loadSchemaCache(db, settings)
    rows = loaded.rows
    return { ...allSettings, cache: loaded.cache }
  }

  /** With invalid settings, the last valid ones continue, or those of config.toml. */
  function merge(overrides: ReadonlyMap<string, string>): RestSettings {
    try {
      const settings = mergeSettings(config, overrides)
      if (settings.roleClaim.kind === 'old') log.warn(OLD_ROLE_CLAIM)
      return settings
    } catch (error) {
      if (!(error instanceof InvalidSettingError)) throw error
      log.error('The settings of the role authenticator are ignored', error)
      return catalog?.settings ?? mergeSettings(config, new Map())
    }
  }

  async function reload(changes: Invalidation): Promise<Catalog> {
    try {
      const loaded = await load(changes)
      catalog = loaded
      return loaded
    } catch (error) {
      rows = null
      invalidation ??= 'unknown'
      // The database may be closed during a load that no request is waiting for.
      if (!isClosed) log.error('The schema cache could not be loaded', error)
      // Continue with the previous catalog; the next request retries.
      if (catalog !== null) return catalog
      throw restError('PGRST002', [], { cause: error })
    }
  }

  return {
    current() {
      if (invalidation !== null) {
        const changes = invalidation
        invalidation = null
        // Waits for a running reload, because it continues from that one's rows.
        const next = (): Promise<Catalog> => reload(changes)
        loading = loading.then(next, next)
      }
      return loading
    },
    forget() {
      catalog = null
      invalidation = 'everything'
    },
    close() {
      isClosed = true
      return unlisten()
    },
  }
}
