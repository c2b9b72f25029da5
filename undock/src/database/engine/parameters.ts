/** How a new cluster is laid out. Its write-ahead log begins with one segment of 1 MB instead of 16: that much less to
 *  unpack for every stack in memory. */
export const INITDB_PARAMETERS = ['--wal-segsize=1']

/** Settings that the engine starts with. */
export const START_SETTINGS: Readonly<Record<string, string>> = {
  // A single-user engine applies no `alter role … set`: the session's search path has to come with the start.
  search_path: '"$user", public, extensions',
  // The default of 128 MB is all touched at the start; the files' own cache serves what does not fit here.
  shared_buffers: '32MB',
  // Segments that are kept for later use would be memory, where the files are.
  min_wal_size: '4MB',
  max_wal_size: '256MB',
  // As the project's container has it: EXPLAIN names it, and the planner reckons with it.
  effective_cache_size: '128MB',
  // What initdb would take from a locale; the one here has no language, and a search without a named one would not stem.
  default_text_search_config: 'pg_catalog.english',
  // The project's container rounds floating point numbers so.
  extra_float_digits: '0',
}
