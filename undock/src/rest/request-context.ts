import type { Db } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'

/** A request's caller, with the headers that its transaction can read. */
export type RestCaller = {
  readonly principal: Principal
  readonly headers: Headers
  /** Raw headers, names and values in turn; null without a socket. */
  readonly rawHeaders: readonly string[] | null
}

export type CompileContext = {
  readonly catalog: Catalog
  readonly times: StageTimes
}

export type RequestContext = CompileContext & {
  readonly db: Db
  readonly caller: RestCaller
}

const STAGES = ['jwt', 'parse', 'plan', 'transaction', 'response'] as const
type Stage = (typeof STAGES)[number]

/** Measures each stage of a request for the header Server-Timing (`pgrst.server_timing_enabled`). */
export class StageTimes {
  readonly #durations = new Map<Stage, number>()
  #since = performance.now()

  end(stage: Stage): void {
    const now = performance.now()
    this.#durations.set(stage, now - this.#since)
    this.#since = now
  }

  header(): string {
    return STAGES.flatMap((stage) => {
      const duration = this.#durations.get(stage)
      return duration === undefined ? [] : [`${stage};dur=${duration.toFixed(1)}`]
    }).join(', ')
  }
}
