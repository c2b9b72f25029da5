/** The user that the embedded engine's session is: the stack's own. A project's scripts and clients are `postgres`. */
export const ENGINE_USER = 'supabase_admin'
