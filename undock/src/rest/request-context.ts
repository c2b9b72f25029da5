import type { Db } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'

/** Who sends a request, with the headers that its transaction can read. */
export type RestCaller = {
  readonly principal: Principal
  readonly headers: Headers
  /** The headers as they arrived, names and values in turn; null when the request did not arrive by a socket. */
  readonly rawHeaders: readonly string[] | null
}

/** What compiling a request needs beside the request. */
export type CompileContext = {
  readonly catalog: Catalog
  readonly times: StageTimes
}

/** What every stage after parsing works with. */
export type RequestContext = CompileContext & {
  readonly db: Db
  readonly caller: RestCaller
}

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
