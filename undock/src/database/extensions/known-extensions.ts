/** Extensions that are too large for the package of the platform. */
export type PackName = 'postgis'

/** An extension that is not PostgreSQL's own. */
type KnownExtension = {
  /** The last major of PostgreSQL with which hosted projects have it; null where no hosted project has it. */
  readonly hostedUntil?: 15 | null
  /** The end of its package's name in Debian, Ubuntu and at postgresql.org; undefined where it is the extension's own name. */
  readonly debian?: string
  /** The npm package that brings it to the native engine, fetched when a project creates the extension. */
  readonly pack?: PackName
  /** Whether PGlite can load it. */
  readonly onPglite?: true
  /** undock does its work, or its bootstrap fills it: the machine's own PostgreSQL is not asked for it. */
  readonly isOwn?: true
  /** Why undock has none, and what to use instead; the machine's own PostgreSQL may have it all the same. */
  readonly refused?: string
}

/** What undock knows of extensions, in one place. Each works where the native engine finds it (its package, a compiler, or a
 *  PostgreSQL of this machine); is one of the shims in `shims/`, which answers as upstream's does; or is refused with its reason. */
export const KNOWN_EXTENSIONS: Readonly<Record<string, KnownExtension>> = {
  address_standardizer: { debian: 'postgis-3', pack: 'postgis' },
  address_standardizer_data_us: { debian: 'postgis-3', pack: 'postgis' },
  http: { onPglite: true },
  hypopg: {},
  index_advisor: {},
  orioledb: { refused: 'It needs a PostgreSQL of its own, with a patch.' },
  pg_cron: { isOwn: true },
  pg_graphql: { isOwn: true },
  pg_hashids: { onPglite: true },
  pg_ivm: { hostedUntil: null, debian: 'pg-ivm', onPglite: true },
  pg_jsonschema: {},
  pg_net: { isOwn: true },
  pg_partman: { debian: 'partman' },
  pg_repack: { debian: 'repack' },
  pg_stat_monitor: { refused: 'pg_stat_statements, which every project has, counts the same.' },
  pg_tle: { refused: 'Extensions come from files here: put the SQL of the extension into a migration of its own.' },
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

/** Extensions that hosted projects create as a superuser although their control files ask for none. Their functions then have the
 *  default privileges of the superuser: what a project withholds by default from functions of `postgres` stays executable in them. */
const CREATED_AS_SUPERUSER = ['pgtap']

/** Ends the control file of an extension that `postgres` may create. It is not a superuser: hosted projects let supautils create
 *  extensions in a superuser's stead, and Postgres does so itself for those that are marked as trusted. */
export const trustedLines = (name: string): string =>
  CREATED_AS_SUPERUSER.includes(name) ? '\nsuperuser = true\ntrusted = true\n' : '\ntrusted = true\n'

/** The package with an extension. */
export const debianPackage = (name: string, major: number): string =>
  `postgresql-${major}-${(KNOWN_EXTENSIONS[name]?.debian ?? name).replaceAll('_', '-')}`
