import type { Statement } from '../kernel/sql.ts'
import {
  type CompileContext,
  type CompiledQuery,
  type CompiledRequest,
  compileHttp,
  compileRequest,
  type StatementTexts,
} from './compile.ts'
import { encode } from './request/query-params.ts'
import { placeholderIndexes, type QueryShape, queryShape, textTemplate } from './request/query-shape.ts'
import { type ApiRequest, CACHE_KEY_HEADERS, type HttpRequest } from './request/request.ts'
import { StageTimes } from './response/server-timing.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'

/** How many shapes are kept, and the longest query string, in characters, that is cached at all. An application has a few
 *  hundred shapes that come again and again. */
const MAX_ENTRIES = 500
const MAX_SEARCH_LENGTH = 2_000

const EVERY_STATEMENT: StatementTexts = { has: () => true }

/** For each parameter of a statement the index of the request's value that it takes, or null for a constant. */
type ParameterSources = readonly (number | null)[]

/** A compiled shape, and where its statements take the values of a request. */
type CacheEntry = {
  readonly compiled: CompiledRequest
  readonly main: ParameterSources
  readonly plannedCount: ParameterSources
  /** The query string as Content-Location repeats it. */
  canonical(textOf: (index: number) => string): string
}

/** Compiles each shape of a read once. Requests that differ in nothing but the values of plain comparisons (`id=eq.7`)
 *  share the parsed request, the plan and the SQL; a later one only puts its values among the parameters.
 *
 *  Gain: the main thread's work for a list with an embed falls from 330 to 200 µs, for a read by key from 190 to 130 µs
 *  (docs/performance.md).
 *
 *  @throws what parsing and planning refuse; refusals are never cached. */
export class PlanCache {
  #catalog: Catalog | null = null
  readonly #entries = new Map<string, CacheEntry>()
  /** Statements that returned rows which could not be turned into JSON here. */
  readonly #jsonByPostgres = new Set<string>()

  compile(http: HttpRequest, context: CompileContext): CompiledRequest {
    if (this.#catalog !== context.catalog) {
      this.#catalog = context.catalog
      this.#entries.clear()
      this.#jsonByPostgres.clear()
    }
    const isCacheable = (http.method === 'GET' || http.method === 'HEAD') && http.search.length <= MAX_SEARCH_LENGTH
    if (!isCacheable) return compileHttp(http, context, this.#jsonByPostgres)
    const shape = queryShape(http.search)
    const key = cacheKey({ ...http, search: shape.search })
    const cached = this.#entries.get(key)
    if (cached) return withRequestValues(cached, shape.values)
    // The request itself is compiled first, so that a refusal quotes this request.
    const compiled = compileHttp(http, context, this.#jsonByPostgres)
    const entry = cacheEntry(shape, compiled, () =>
      compileHttp({ ...http, search: shape.search }, { ...context, times: new StageTimes() }, this.#jsonByPostgres),
    )
    if (!entry) return compiled
    const [oldest] = this.#entries.size >= MAX_ENTRIES ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, entry)
    return compiled
  }

  /** Compiles a request whose body was read; it is not cached. */
  compileParsed(request: ApiRequest, context: Pick<CompileContext, 'catalog' | 'times'>): CompiledRequest {
    return compileRequest(request, context, this.#jsonByPostgres)
  }

  /** Compiles a request anew after its rows could not be turned into JSON here: now Postgres makes the body, for this
   *  request and for all later ones with the same statement. */
  compileWithoutRows({ main }: CompiledQuery, http: HttpRequest, context: CompileContext): CompiledRequest {
    if (this.#jsonByPostgres.size >= MAX_ENTRIES) this.#jsonByPostgres.clear()
    this.#jsonByPostgres.add(main.text)
    this.#entries.clear()
    // The set is emptied when another catalog comes; this request must not depend on it.
    return compileHttp(http, context, EVERY_STATEMENT)
  }
}

/** @param compileShape Compiles the query string that has placeholders instead of values.
 *  @returns null when the values decide more than the parameters of the statements. */
function cacheEntry(
  { values }: QueryShape,
  compiled: CompiledRequest,
  compileShape: () => CompiledRequest,
): CacheEntry | null {
  const { canonical } = compiled.request.query
  if (values.length === 0) return { compiled, main: [], plannedCount: [], canonical: () => canonical }
  if (compiled.plan.kind !== 'read') return null
  const shape = compileShape()
  const main = placeholderIndexes(shape.main?.values ?? [])
  const plannedCount = placeholderIndexes((shape.main && shape.plannedCount?.values) ?? [])
  return (
    main &&
    plannedCount && { compiled: shape, main, plannedCount, canonical: textTemplate(shape.request.query.canonical) }
  )
}

function withRequestValues(
  { compiled, main, plannedCount, canonical }: CacheEntry,
  values: readonly string[],
): CompiledRequest {
  if (values.length === 0 || compiled.main === null) return compiled
  const { request } = compiled
  const query = { ...request.query, canonical: canonical((index) => encode(values[index] ?? '')) }
  return {
    ...compiled,
    request: { ...request, query },
    main: withValues(compiled.main, main, values),
    plannedCount: compiled.plannedCount && withValues(compiled.plannedCount, plannedCount, values),
  }
}

const withValues = (shape: Statement, sources: ParameterSources, values: readonly string[]): Statement => ({
  ...shape,
  values: shape.values.map((constant, index) => {
    const source = sources[index] ?? null
    return source === null ? constant : values[source]
  }),
})

/** The parts are joined by line breaks, which none of them can hold. */
const cacheKey = ({ method, path, search, headers }: HttpRequest): string =>
  [method, path, search, ...CACHE_KEY_HEADERS.map((name) => headers.get(name))].join('\n')
