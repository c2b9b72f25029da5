/** Options of initdb. The write-ahead log has segments of 1 MB instead of 16, so that every stack in memory unpacks less. */
export const INITDB_PARAMETERS = ['--wal-segsize=1']

/** Settings that the engine starts with. */
export const START_SETTINGS: Readonly<Record<string, string>> = {
  // A single-user engine does not apply `alter role … set`, so the search path is set at the start.
  search_path: '"$user", public, extensions',
  // The default of 128 MB would be touched completely at the start; files beyond it are cached by the file system.
  shared_buffers: '32MB',
  // Kept segments would take memory when the files are in memory.
  min_wal_size: '4MB',
  max_wal_size: '256MB',
  // The value of Supabase's container: the planner uses it, and EXPLAIN shows it.
  effective_cache_size: '128MB',
  // initdb derives this from the locale; the locale here has no language, so searches would not stem.
  default_text_search_config: 'pg_catalog.english',
  // The value of Supabase's container, which rounds floating point numbers.
  extra_float_digits: '0',
}
