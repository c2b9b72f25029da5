/** What of a project's files a reset applies. Without a property it is all. */
export type ContentPart = {
  /** The version of the last migration. */
  readonly until?: string
  /** Patterns of the seed files, relative to `supabase/`; false for no seed. */
  readonly seed?: false | readonly string[]
}
