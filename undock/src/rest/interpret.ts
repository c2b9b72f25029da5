import { type Statement, statement } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { readsTablesOnly } from './plan/tables-only.ts'
import { wantsPlannedCount } from './request/preferences.ts'
import { type ApiRequest, type HttpRequest, parseRequest, TELLING_HEADERS } from './request/request.ts'
import type { StageTimes } from './response/server-timing.ts'
import { refuseUnfiltered } from './safe-update.ts'
import type { Known } from './schema-cache/holder.ts'
import { plannedCountSql, planSql } from './sql/statement.ts'

export type QueryPlan = Exclude<Plan, { kind: 'info' | 'inspect' }>

/** A request with all that can be said of it before the database is asked. */
export type Interpreted =
  | Query
  | { readonly wish: ApiRequest; readonly plan: Exclude<Plan, QueryPlan>; readonly main: null }

export type Query = {
  readonly wish: ApiRequest
  readonly plan: QueryPlan
  readonly main: Statement
  /** Asks how many rows the planner expects, where the request wants that. */
  readonly plannedCount: Statement | null
  /** Whether all who ask for the same at once may be given one result. */
  readonly isShared: boolean
}

/** Requests kept, and the longest address that is: some hundred different ones come again and again. */
const MOST = 500
const LONGEST = 2_000

/** Takes requests through parsing, planning and SQL. The three are functions of the request and of what is known of the
 *  database, so a read that comes again is answered by what was made of it the first time.
 *  @throws what parsing and planning refuse, each time anew. */
export class Interpreter {
  #known: Known | null = null
  readonly #reads = new Map<string, Interpreted>()

  interpret(http: HttpRequest, known: Known, isTimezone: (name: string) => boolean, times: StageTimes): Interpreted {
    if (this.#known !== known) {
      this.#known = known
      this.#reads.clear()
    }
    const isKept = (http.method === 'GET' || http.method === 'HEAD') && http.search.length <= LONGEST
    if (!isKept) return interpret(http, known, isTimezone, times)
    const key = keyOf(http)
    const kept = this.#reads.get(key)
    if (kept) return kept
    const made = interpret(http, known, isTimezone, times)
    const [oldest] = this.#reads.size >= MOST ? this.#reads.keys() : []
    if (oldest !== undefined) this.#reads.delete(oldest)
    this.#reads.set(key, made)
    return made
  }
}

/** No part of it can hold a line break. */
const keyOf = ({ method, path, search, headers }: HttpRequest): string =>
  [method, path, search, ...TELLING_HEADERS.map((name) => headers.get(name))].join('\n')

function interpret(
  http: HttpRequest,
  known: Known,
  isTimezone: (name: string) => boolean,
  times: StageTimes,
): Interpreted {
  const { settings, cache } = known
  const wish = parseRequest(http, settings, isTimezone)
  times.end('parse')
  const plan = planRequest(wish, cache, settings)
  if (settings.safeUpdate) refuseUnfiltered(plan)
  times.end('plan')
  if (plan.kind === 'info' || plan.kind === 'inspect') return { wish, plan, main: null }
  const countsByPlan = plan.kind === 'read' && plan.media.kind !== 'plan' && wantsPlannedCount(wish.preferences)
  return {
    wish,
    plan,
    main: statement(planSql(plan, wish, settings.maxRows)),
    plannedCount: countsByPlan ? statement(plannedCountSql(plan)) : null,
    isShared: settings.preRequest === null && readsTablesOnly(plan, cache),
  }
}
