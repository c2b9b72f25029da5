/** Options of initdb. WAL segments of 1 MB instead of 16, so that in-memory stacks unpack less. */
export const INITDB_PARAMETERS = ['--wal-segsize=1']

export const START_SETTINGS: Readonly<Record<string, string>> = {
  // A single-user engine ignores `alter role … set`.
  search_path: '"$user", public, extensions',
  // The default of 128 MB would all be touched at start; the file system caches the rest.
  shared_buffers: '32MB',
  // Files may be in memory, where kept segments cost memory.
  min_wal_size: '4MB',
  max_wal_size: '256MB',
  // As in Supabase's container: the planner uses it, and EXPLAIN shows it.
  effective_cache_size: '128MB',
  // initdb derives this from the locale, which has no language here: searches wouldn't stem.
  default_text_search_config: 'pg_catalog.english',
  // As in Supabase's container: rounds floating point numbers.
  extra_float_digits: '0',
}
