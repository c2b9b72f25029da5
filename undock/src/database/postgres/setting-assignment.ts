import pg from 'pg'

/** Settings whose value is a list of names; Postgres stores it already quoted. */
const LISTS = new Set(['search_path', 'session_preload_libraries', 'local_preload_libraries', 'temp_tablespaces'])

/** Converts a setting from Postgres' catalogs to the syntax of `alter … set`. */
export function assignment(name: string, value: string): string {
  const quoted = name.split('.').map(pg.escapeIdentifier).join('.')
  return `${quoted} to ${LISTS.has(name) ? value : pg.escapeLiteral(value)}`
}
