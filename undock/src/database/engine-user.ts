/** The user of the embedded engine's session: the stack itself. A project's scripts and clients are `postgres`. */
export const ENGINE_USER = 'supabase_admin'

/** The user that a project's scripts run as; no superuser. */
export const PROJECT_USER = 'postgres'
