/** Extensions that hosted projects create as a superuser although their control files ask for none. Their functions then have the
 *  default privileges of the superuser: what a project withholds by default from functions of `postgres` stays executable in them. */
const CREATED_AS_SUPERUSER = ['pgtap']

/** Ends the control file of an extension that `postgres` may create. It is not a superuser: hosted projects let supautils create
 *  extensions in a superuser's stead, and Postgres does so itself for those that are marked as trusted. */
export const trustedLines = (name: string): string =>
  CREATED_AS_SUPERUSER.includes(name) ? '\nsuperuser = true\ntrusted = true\n' : '\ntrusted = true\n'
