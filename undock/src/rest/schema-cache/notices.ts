/** Where reloads are asked for. 45_rest.sql makes DDL do so by itself, and says what changed where that is little. */
export const CHANNEL = 'pgrst'
/** PostgREST's. */
const RELOADS = new Set(['', 'reload schema', 'reload config'])
const RELATIONS = /^reload relations ([\d,]+)$/
const FUNCTIONS = 'reload functions'

/** What changed since the catalogue was read. */
export type Changes = {
  /** Oids of tables and views that were made, altered or dropped. */
  readonly relations: ReadonlySet<string>
  /** Whether functions were made or dropped, or types made. */
  readonly functions: boolean
}

/** Anything may have changed, or it is another database. */
export type Stale = Changes | 'unknown' | 'anew'

/** @returns null for what asks for no reload. */
export function readNotice(payload: string): Changes | 'unknown' | null {
  if (RELOADS.has(payload)) return 'unknown'
  if (payload === FUNCTIONS) return { relations: new Set(), functions: true }
  const relations = RELATIONS.exec(payload)?.[1]
  return relations === undefined ? null : { relations: new Set(relations.split(',')), functions: false }
}

/** What both say. */
export function together(one: Stale | null, other: Stale | null): Stale | null {
  if (one === null || other === null) return one ?? other
  if (typeof one === 'object' && typeof other === 'object')
    return { relations: one.relations.union(other.relations), functions: one.functions || other.functions }
  return one === 'anew' || other === 'anew' ? 'anew' : 'unknown'
}
