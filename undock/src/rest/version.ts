/** The version of PostgREST that the Data API behaves like. */
export const POSTGREST_VERSION = '16.5'
