import { type Statement, statement } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { readsTablesOnly } from './plan/tables-only.ts'
import { wantsPlannedCount } from './request/preferences.ts'
import { encode } from './request/query-params.ts'
import { type ApiRequest, type HttpRequest, parseRequest, TELLING_HEADERS } from './request/request.ts'
import { aroundMarks, placesOfMarks, type Shape, shapeOf } from './request/shape.ts'
import { StageTimes } from './response/server-timing.ts'
import { refuseUnfiltered } from './safe-update.ts'
import type { Known } from './schema-cache/holder.ts'
import { type RowsShape, rowsSql } from './sql/rows.ts'
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
  /** Where `main` gives the rows as they are, and not the body of the response. */
  readonly rows: RowsShape | null
  /** Asks how many rows the planner expects, where the request wants that. */
  readonly plannedCount: Statement | null
  /** Whether all who ask for the same at once may be given one result. */
  readonly isShared: boolean
}

/** Shapes kept, and the longest address that is: an application has some hundred that come again and again. */
const MOST = 500
const LONGEST = 2_000

/** Which statements belong to it, by their texts. */
type Statements = Pick<ReadonlySet<string>, 'has'>
const ALL: Statements = { has: () => true }

/** What was made of a shape, and where its statements take the values. */
type Template = {
  readonly made: Interpreted
  readonly main: Places
  readonly plannedCount: Places
  /** The address as Content-Location has it. */
  canonical(textOf: (index: number) => string): string
}
type Places = readonly (number | null)[]

/** Takes requests through parsing, planning and SQL. The three are functions of the request and of what is known of the
 *  database, so a read of a shape that comes again is answered by what was made of it the first time.
 *  @throws what parsing and planning refuse, each time anew. */
export class Interpreter {
  #known: Known | null = null
  readonly #reads = new Map<string, Template>()
  /** Statements whose rows have to be made JSON of by Postgres. */
  readonly #refused = new Set<string>()

  interpret(http: HttpRequest, known: Known, isTimezone: (name: string) => boolean, times: StageTimes): Interpreted {
    if (this.#known !== known) {
      this.#known = known
      this.#reads.clear()
      this.#refused.clear()
    }
    const isKept = (http.method === 'GET' || http.method === 'HEAD') && http.search.length <= LONGEST
    if (!isKept) return interpret(http, known, isTimezone, this.#refused, times)
    const shape = shapeOf(http.search)
    const key = keyOf({ ...http, search: shape.search })
    const kept = this.#reads.get(key)
    if (kept) return filled(kept, shape.values)
    // Before anything is kept: what is refused is refused in the words of this request.
    const made = interpret(http, known, isTimezone, this.#refused, times)
    const template = templateOf(shape, made, () =>
      interpret({ ...http, search: shape.search }, known, isTimezone, this.#refused, new StageTimes()),
    )
    if (!template) return made
    const [oldest] = this.#reads.size >= MOST ? this.#reads.keys() : []
    if (oldest !== undefined) this.#reads.delete(oldest)
    this.#reads.set(key, template)
    return made
  }

  /** The same where the rows of what it was taken for could not be made JSON of here; whoever asks so again is spared it. */
  interpretAgain(
    { main }: Query,
    http: HttpRequest,
    known: Known,
    isTimezone: (name: string) => boolean,
    times: StageTimes,
  ): Interpreted {
    if (this.#refused.size >= MOST) this.#refused.clear()
    this.#refused.add(main.text)
    this.#reads.clear()
    // What is remembered goes when something else is known of the database; this request must not depend on it.
    return interpret(http, known, isTimezone, ALL, times)
  }
}

/** @returns null when more than the parameters depends on the values. */
function templateOf({ values }: Shape, made: Interpreted, make: () => Interpreted): Template | null {
  const { canonical } = made.wish.query
  if (values.length === 0) return { made, main: [], plannedCount: [], canonical: () => canonical }
  if (made.plan.kind !== 'read') return null
  const ofShape = make()
  const main = placesOfMarks(ofShape.main?.values ?? [])
  const plannedCount = placesOfMarks((ofShape.main && ofShape.plannedCount?.values) ?? [])
  return (
    main && plannedCount && { made: ofShape, main, plannedCount, canonical: aroundMarks(ofShape.wish.query.canonical) }
  )
}

function filled({ made, main, plannedCount, canonical }: Template, values: readonly string[]): Interpreted {
  if (values.length === 0 || made.main === null) return made
  const { wish } = made
  return {
    ...made,
    wish: { ...wish, query: { ...wish.query, canonical: canonical((index) => encode(values[index] ?? '')) } },
    main: withValues(made.main, main, values),
    plannedCount: made.plannedCount && withValues(made.plannedCount, plannedCount, values),
  }
}

const withValues = (one: Statement, places: Places, given: readonly string[]): Statement => ({
  ...one,
  values: one.values.map((value, index) => {
    const place = places[index] ?? null
    return place === null ? value : given[place]
  }),
})

/** No part of it can hold a line break. */
const keyOf = ({ method, path, search, headers }: Omit<HttpRequest, 'body'>): string =>
  [method, path, search, ...TELLING_HEADERS.map((name) => headers.get(name))].join('\n')

function interpret(
  http: HttpRequest,
  known: Known,
  isTimezone: (name: string) => boolean,
  refused: Statements,
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
  const asRows = rowsSql(plan, wish, settings.maxRows)
  const rows = asRows && { ...statement(asRows.rows), asText: true }
  const isRows = rows !== null && !refused.has(rows.text)
  return {
    wish,
    plan,
    main: isRows ? rows : statement(planSql(plan, wish, settings.maxRows)),
    rows: isRows ? (asRows?.shape ?? null) : null,
    plannedCount: countsByPlan ? statement(plannedCountSql(plan)) : null,
    isShared: settings.preRequest === null && readsTablesOnly(plan, cache),
  }
}
