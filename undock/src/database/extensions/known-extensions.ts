export type PackName = 'postgis'

type KnownExtension = {
  /** Last PostgreSQL major with which hosted projects have it; null if none has. */
  readonly hostedUntil?: 15 | null
  /** Suffix of its Debian and postgresql.org package name, if that isn't the extension's name. */
  readonly debian?: string
  /** npm package for the native engine, fetched when a project creates the extension. */
  readonly pack?: PackName
  readonly onPglite?: true
  /** undock does its work or its bootstrap fills it, so the machine's own PostgreSQL isn't asked for it. */
  readonly isOwn?: true
  /** Why undock has none, and what to use instead; the machine's own PostgreSQL may still have it. */
  readonly refused?: string
}

/** Everything undock knows about extensions. Each works where the native engine finds it (its package, a compiler, or
 *  this machine's PostgreSQL), is a shim in `shims/` that behaves like upstream's, or is refused with a reason. */
export const KNOWN_EXTENSIONS: Readonly<Record<string, KnownExtension>> = {
  address_standardizer: { debian: 'postgis-3', pack: 'postgis' },
  address_standardizer_data_us: { debian: 'postgis-3', pack: 'postgis' },
  http: { onPglite: true },
  hypopg: {},
  index_advisor: {},
  orioledb: { refused: 'It needs a patched PostgreSQL.' },
  pg_cron: { isOwn: true },
  pg_graphql: { isOwn: true },
  pg_hashids: { onPglite: true },
  pg_ivm: { hostedUntil: null, debian: 'pg-ivm', onPglite: true },
  pg_jsonschema: {},
  pg_net: { isOwn: true },
  pg_partman: { debian: 'partman' },
  pg_repack: { debian: 'repack' },
  pg_stat_monitor: { refused: 'pg_stat_statements, which every project has, counts the same.' },
  pg_tle: { refused: 'Put the SQL of the extension into a migration instead.' },
  pg_uuidv7: { hostedUntil: null, onPglite: true },
  pgaudit: {},
  pgjwt: { isOwn: true },
  pgmq: { onPglite: true },
  pgroonga: { refused: 'pg_trgm and PostgreSQL’s own full text search need no other server.' },
  pgroonga_database: { refused: 'It belongs to pgroonga.' },
  pgrouting: {},
  pgsodium: { isOwn: true },
  pgtap: {},
  plpgsql_check: { debian: 'plpgsql-check' },
  plv8: { hostedUntil: 15 },
  postgis: { debian: 'postgis-3', pack: 'postgis', onPglite: true },
  postgis_raster: { debian: 'postgis-3' },
  postgis_sfcgal: { debian: 'postgis-3', pack: 'postgis' },
  postgis_tiger_geocoder: { debian: 'postgis-3', pack: 'postgis', onPglite: true },
  postgis_topology: { debian: 'postgis-3', pack: 'postgis', onPglite: true },
  rum: {},
  supabase_vault: { isOwn: true },
  timescaledb: {
    hostedUntil: 15,
    refused:
      'Plain tables with date_bin, partitions and pg_cron do most of it; hosted projects have it up to PostgreSQL 15.',
  },
  vector: { debian: 'pgvector', onPglite: true },
  wrappers: {
    refused: 'postgres_fdw reaches another PostgreSQL, and the extension http or an edge function other services.',
  },
}

/** Hosted projects create these as a superuser although their control files don't ask for it. Their functions get the
 *  superuser's default privileges, so what a project revokes by default from functions of `postgres` doesn't apply. */
const CREATED_AS_SUPERUSER = ['pgtap']

/** Returns the end of the control file of an extension that `postgres`, not a superuser, may create. Hosted projects
 *  use supautils; Postgres itself allows it for trusted extensions. */
export const trustedLines = (name: string): string =>
  CREATED_AS_SUPERUSER.includes(name) ? '\nsuperuser = true\ntrusted = true\n' : '\ntrusted = true\n'

export const debianPackage = (name: string, major: number): string =>
  `postgresql-${major}-${(KNOWN_EXTENSIONS[name]?.debian ?? name).replaceAll('_', '-')}`
