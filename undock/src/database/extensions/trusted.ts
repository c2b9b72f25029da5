/** Extensions that hosted projects create as a superuser although their control files ask for none. Their functions then have the
 *  default privileges of the superuser: what a project withholds by default from functions of `postgres` stays executable in them. */
const CREATED_AS_SUPERUSER = ['pgtap']

/** Ends the control file of an extension that `postgres` may create. It is not a superuser: hosted projects let supautils create
 *  extensions in a superuser's stead, and Postgres does so itself for those that are marked as trusted. */
export const trustedLines = (name: string): string =>
  CREATED_AS_SUPERUSER.includes(name) ? '\nsuperuser = true\ntrusted = true\n' : '\ntrusted = true\n'

/** Extensions that the role `postgres` may create on a hosted project, or on undock's embedded engine. One of this machine's that is
 *  not listed is as trusted as its own control file says. */
export const HOSTED = [
  ...['address_standardizer', 'address_standardizer_data_us', 'postgis', 'postgis_raster', 'postgis_sfcgal'],
  ...['postgis_tiger_geocoder', 'postgis_topology', 'pgrouting', 'vector', 'rum', 'http', 'pg_hashids', 'pg_ivm'],
  ...['pg_uuidv7', 'hypopg', 'index_advisor', 'plpgsql_check', 'pgaudit', 'pg_jsonschema', 'pg_repack', 'pg_partman'],
  ...['pgroonga', 'pgroonga_database', 'plv8'],
]
