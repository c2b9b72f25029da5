import pg from 'pg'

/** Settings whose value is a list of names, kept quoted as it was written. */
const LISTS = new Set(['search_path', 'session_preload_libraries', 'local_preload_libraries', 'temp_tablespaces'])

/** A setting that the catalogs keep, as `alter … set` takes it. */
export function assignment(name: string, value: string): string {
  const quoted = name.split('.').map(pg.escapeIdentifier).join('.')
  return `${quoted} to ${LISTS.has(name) ? value : pg.escapeLiteral(value)}`
}
