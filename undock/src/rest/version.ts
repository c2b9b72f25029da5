/** The version of PostgREST that the Data API behaves like: that of the pinned Supabase CLI. */
export const POSTGREST_VERSION = '16.5'
export const POSTGREST_MAJOR = Number.parseInt(POSTGREST_VERSION, 10)
