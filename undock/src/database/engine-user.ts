export const ENGINE_USER = 'supabase_admin'

/** User of the project's scripts and clients; not a superuser. */
export const PROJECT_USER = 'postgres'
