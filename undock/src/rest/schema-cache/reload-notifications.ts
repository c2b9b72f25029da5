/** The channel for reloads. Event triggers (45_rest.sql) notify it after DDL, with details of small changes. */
export const RELOAD_CHANNEL = 'pgrst'
/** PostgREST's payloads. */
const FULL_RELOADS = new Set(['', 'reload schema', 'reload config'])
const RELATIONS = /^reload relations ([\d,]+)$/
const FUNCTIONS = 'reload functions'

export type CatalogChanges = {
  readonly relations: ReadonlySet<string>
  readonly functions: boolean
}

/** What to read again: listed changes, everything if the catalog's version changed (`unknown`), or everything. */
export type Invalidation = CatalogChanges | 'unknown' | 'everything'

/** @returns null for a notification that doesn't ask for a reload. */
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
