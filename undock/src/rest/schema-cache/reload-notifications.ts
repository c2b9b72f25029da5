/** The channel on which reloads are asked for. Event triggers (45_rest.sql) notify it after DDL, and say what changed where
 *  that is little. */
export const RELOAD_CHANNEL = 'pgrst'
/** The payloads that PostgREST understands. */
const FULL_RELOADS = new Set(['', 'reload schema', 'reload config'])
const RELATIONS = /^reload relations ([\d,]+)$/
const FUNCTIONS = 'reload functions'

/** What changed since the catalog was read. */
export type CatalogChanges = {
  /** Oids of tables and views that were created, altered or dropped. */
  readonly relations: ReadonlySet<string>
  /** Whether functions were created or dropped, or types created. */
  readonly functions: boolean
}

/** What has to be read again: the listed changes; anything that may have changed, unless the catalog's version is still the same
 *  (`unknown`); or everything, because it is another database. */
export type Invalidation = CatalogChanges | 'unknown' | 'everything'

/** @returns null for a notification that asks for no reload. */
export function parseReloadNotification(payload: string): CatalogChanges | 'unknown' | null {
  if (FULL_RELOADS.has(payload)) return 'unknown'
  if (payload === FUNCTIONS) return { relations: new Set(), functions: true }
  const relations = RELATIONS.exec(payload)?.[1]
  return relations === undefined ? null : { relations: new Set(relations.split(',')), functions: false }
}

export function mergeInvalidations(one: Invalidation | null, other: Invalidation | null): Invalidation | null {
  if (one === null || other === null) return one ?? other
  if (typeof one === 'object' && typeof other === 'object')
    return { relations: one.relations.union(other.relations), functions: one.functions || other.functions }
  return one === 'everything' || other === 'everything' ? 'everything' : 'unknown'
}
