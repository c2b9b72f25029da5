/** The engine that runs: `server` is one that undock did not start. */
export type RunningEngine = 'pglite' | 'native' | 'server'

/** Which engine runs a project's database, for people. */
export type EngineInUse = {
  readonly kind: RunningEngine
  /** Such as "PostgreSQL 17". */
  readonly title: string
  /** Completes the sentence "… runs the database, because …". */
  readonly reason: string
  /** What a person does to get the native engine instead; null where nothing is missing. */
  readonly remedy: string | null
}
