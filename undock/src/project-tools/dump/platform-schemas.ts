/** Schemas that belong to the platform, as patterns of pg_dump.
 *  @see supabase/cli pkg/migration/dump.go and its scripts */
export const PLATFORM_SCHEMAS = [
  ...[
    'information_schema',
    'pg_*',
    '_analytics',
    '_realtime',
    '_supavisor',
    '_undock',
    'etl',
    'extensions',
    'pgbouncer',
    'realtime',
  ],
  ...['supabase_migrations', 'graphql', 'graphql_public', 'pgsodium', 'pgsodium_masks', 'pgtle', 'repack', 'tiger'],
  ...['tiger_data', 'timescaledb_*', '_timescaledb_*', 'topology', 'vault'],
]
/** Schemas whose structure belongs to the platform, and whose rows belong to the project. */
export const SCHEMAS_WITH_PROJECT_ROWS = ['auth', 'storage', 'supabase_functions', 'cron', 'dbdev', 'net', 'pgmq']

/** The first list as patterns of LIKE. */
export const PLATFORM_SCHEMA_PATTERNS = PLATFORM_SCHEMAS.map((pattern) =>
  pattern.replaceAll('_', '\\_').replaceAll('*', '%'),
)
