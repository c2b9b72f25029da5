/** Why a case of a suite fails. A failure without a row is a fault. */
type Reason = {
  readonly suite: string
  /** Matches the case's group, name and failure. */
  readonly match: RegExp
  readonly reason: string
}

const REASONS: readonly Reason[] = [
  {
    suite: 'functions',
    match: /Import 'https:\/\/\S+' failed|jsr\.io\S* failed/,
    reason: 'the machine that ran the suite reached no registry but npm',
  },
  {
    suite: 'functions',
    match: /return-invalid-resp/,
    reason: "Deno's server answers 500 for a value that is no response, where the edge runtime cuts the connection",
  },
  {
    suite: 'postgrest-js',
    match: /: geojson/,
    reason: 'the plain PostgreSQL of the nodes has no PostGIS',
  },
  {
    suite: 'postgrest-js',
    match: /: explain with options/,
    reason:
      "the plan shows the query's identifier, which the plain PostgreSQL of the nodes does not compute: it has no pg_stat_statements",
  },
  {
    suite: 'storage',
    match: /preserves legacy auth errors for malformed and missing JWTs/,
    reason:
      "it expects storage's own answer without an `Authorization` header; the gateway of `supabase start` always passes one on, empty without a key, and undock answers as that does",
  },
  {
    suite: 'postgrest',
    match: /^Cors: /,
    reason:
      'the gateway answers for all services, as that of `supabase start` does, and ignores `pgrst.server_cors_allowed_origins`',
  },
  {
    suite: 'postgrest',
    match: /^Query\/Plan: .* outputs the search path when using the settings option/,
    reason: "the plan shows `effective_cache_size`, which Supabase's own image of Postgres sets too",
  },
  {
    suite: 'postgrest',
    match: /^Query\/Plan: .* test case sensitive sequence is properly quoted in nextval/,
    reason: 'the plan also prints the type of one constant',
  },
  {
    suite: 'postgrest',
    match: /: a pending example$/,
    reason: 'upstream has it marked as pending',
  },
]

/** @returns the reason for a failure; null if unknown */
export function reasonFor(suite: string, text: string): string | null {
  return REASONS.find((one) => one.suite === suite && one.match.test(text))?.reason ?? null
}
