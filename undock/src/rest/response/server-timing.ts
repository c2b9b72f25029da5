const STAGES = ['jwt', 'parse', 'plan', 'transaction', 'response'] as const
type Stage = (typeof STAGES)[number]

/** Measures how long each stage of a request takes, for the header Server-Timing (`pgrst.server_timing_enabled`). */
export class StageTimes {
  readonly #durations = new Map<Stage, number>()
  #since = performance.now()

  /** Ends a stage, which lasted since the end of the one before it. */
  end(stage: Stage): void {
    const now = performance.now()
    this.#durations.set(stage, now - this.#since)
    this.#since = now
  }

  /** Durations are milliseconds with one decimal. */
  header(): string {
    return STAGES.flatMap((stage) => {
      const duration = this.#durations.get(stage)
      return duration === undefined ? [] : [`${stage};dur=${duration.toFixed(1)}`]
    }).join(', ')
  }
}
