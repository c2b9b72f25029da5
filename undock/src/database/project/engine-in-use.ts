/** `server` is one that undock didn't start. */
export type RunningEngine = 'pglite' | 'native' | 'server'

export type EngineInUse = {
  readonly kind: RunningEngine
  readonly title: string
  /** Completes the sentence "… runs the database, because …". */
  readonly reason: string
  /** How to get the native engine instead; null if nothing is missing. */
  readonly remedy: string | null
}
