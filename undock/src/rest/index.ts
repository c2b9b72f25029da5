import { DatabaseError } from 'pg-protocol'
import type { Db } from '../database/db.ts'
import { DatabaseBusyError } from '../database/protocol/errors.ts'
import type { Identity } from '../identity/identity.ts'
import { isClientAbort, nodeRequestOf } from '../kernel/node-http.ts'
import {
  BodyTooLargeError,
  declaredLength,
  discardBody,
  limitedBytesOf,
  readCheckedBody,
} from '../kernel/request-body.ts'
import type { RoutePattern } from '../kernel/router.ts'
import type { Clock, Log, RequestHandler, Service } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { join, type Sql, sql } from '../kernel/sql.ts'
import { splitUrl } from '../kernel/url.ts'
import { createAuthentication } from './authentication.ts'
import { type CompiledRequest, compileHttp } from './compile.ts'
import { restError } from './errors.ts'
import type { ReadPlan } from './plan/model.ts'
import { PlanCache, type ReadyRequest } from './plan-cache.ts'
import { payloadReader } from './request/payload.ts'
import { type ApiRequest, columnsParameter, type HttpRequest, parseRequest, takesPayload } from './request/request.ts'
import { type RequestContext, type RestCaller, StageTimes } from './request-context.ts'
import { DatabaseServiceError, fromPostgres } from './response/database-error.ts'
import { describeApi } from './response/openapi/describe.ts'
import { type Rendered, renderError, renderInfo, toResponse } from './response/response.ts'
import { runQuery } from './run-query.ts'
import { type Catalog, createCatalogLoader } from './schema-cache/catalog-loader.ts'
import type { ApiConfig, RestSettings } from './settings.ts'
import { where } from './sql/filters.ts'
import { tableName } from './sql/read.ts'
import { refuseWriteAhead } from './write-access.ts'

/** Larger bodies are read in pieces, between other requests, and only from callers who may write. */
const LARGE_BODY = 256 * 1024

type ReadPayloadOptions = {
  readonly db: Db
  readonly caller: RestCaller
  readonly catalog: Catalog
  readonly limit: number
}

/** Reads a request's body.
 *  @returns the request with its payload and the payload's columns.
 *  @throws PGRST102 for an invalid body, 42501 for a large one from a caller who may not write, {BodyTooLargeError} */
async function readPayload(
  httpRequest: Request,
  request: ApiRequest,
  { db, caller, catalog, limit }: ReadPayloadOptions,
): Promise<ApiRequest> {
  if (!takesPayload(request)) return request
  try {
    const reader = payloadReader(request.contentType, {
      columns: columnsParameter(request),
      forFunction: request.action.kind === 'call',
      limit,
    })
    const length = declaredLength(httpRequest)
    if (length !== null && length <= Math.min(LARGE_BODY, limit)) {
      reader.read(await readCheckedBody(httpRequest))
    } else {
      await refuseWriteAhead(request, { db, caller, catalog })
      for await (const bytes of limitedBytesOf(httpRequest, limit)) reader.read(bytes)
    }
    return { ...request, ...reader.end() }
  } catch (error) {
    // A client that's still sending wouldn't read the answer.
    await discardBody(httpRequest)
    throw error
  }
}

/** A request's relation. @property where Its filters as SQL, without those on embedded relations; null for all rows.
 *  @property embeds Embedded relations, as `schema.name`. */
type RequestTarget = {
  readonly schema: string
  readonly table: string
  readonly where: Sql | null
  readonly embeds: readonly string[]
}

/** @returns null for a request that calls a function or describes the API. */
function requestTarget({ plan }: CompiledRequest): RequestTarget | null {
  if (plan.kind !== 'read' && plan.kind !== 'mutate') return null
  const { read, target } = plan
  const table = tableName(read)
  const conditions = read.where.map((tree) => where(table, tree, () => sql`true`))
  return {
    schema: target.schema,
    table: target.name,
    where: conditions.length === 0 ? null : join(conditions, ' and '),
    embeds: [...new Set(read.children.flatMap(relationsOf))],
  }
}

const relationsOf = ({ from, children }: ReadPlan): string[] => [
  `${from.schema}.${from.name}`,
  ...children.flatMap(relationsOf),
]

const PREFIX = '/rest/v1'

/** Parsing and planning refuse other methods and paths; the database decides what each role may do. */
export const restRoutes: readonly RoutePattern<'role'>[] = [
  { method: 'GET|HEAD|OPTIONS', path: '/', access: 'role' },
  { method: 'GET|HEAD|POST|PATCH|PUT|DELETE|OPTIONS', path: '/{relation}', access: 'role' },
  { method: 'GET|HEAD|POST|OPTIONS', path: '/rpc/{function}', access: 'role' },
]

export type Rest = Service & {
  /** Returns the relation and rows that a request reads, or null.
   *  @throws PGRST1xx and PGRST2xx from parsing and planning. */
  targetOf(request: Request): Promise<RequestTarget | null>
}

export type RestDeps = {
  readonly db: Db
  readonly identity: Identity
  readonly clock: Clock
  readonly config: ApiConfig
  readonly bodyLimit: number
  readonly log: Log
}

/** Creates the Data API, which behaves like PostgREST 16. A request goes through these files:
 *
 *  1. authentication.ts determines the caller
 *  2. compile.ts, via plan-cache.ts: request/ parses, plan/ looks names up in schema-cache/, sql/ writes SQL
 *  3. run-query.ts runs the statements with the caller's settings on database/db.ts
 *  4. response/ renders the results */
export async function createRest({ db, identity, clock, config, bodyLimit, log }: RestDeps): Promise<Rest> {
  const catalogLoader = await createCatalogLoader(db, config, log)
  const authenticate = createAuthentication(identity, clock)
  const planCache = new PlanCache()

  const handle: RequestHandler = async (httpRequest, { requestId, setReasonPhrase }) => {
    let isAuthenticated = false
    let settings: RestSettings | null = null
    const finish = (rendered: Rendered): Response =>
      toResponse(withTraceHeader(rendered, settings?.traceHeader ?? null, httpRequest.headers))
    try {
      const catalog = await catalogLoader.current()
      settings = catalog.settings
      const times = new StageTimes()
      const principal = await authenticate(httpRequest, catalog.settings)
      isAuthenticated = principal.role !== catalog.settings.anonRole
      times.end('jwt')
      const http = toHttpRequest(httpRequest)
      const caller: RestCaller = {
        principal,
        headers: http.headers,
        rawHeaders: nodeRequestOf(httpRequest)?.rawHeaders ?? null,
      }
      const context = { db, caller, catalog, times }
      const compiled = METHODS_WITHOUT_BODY.has(http.method)
        ? planCache.compile(http, context)
        : await compileWithBody(httpRequest, http, context)
      let rendered = await answer(compiled, context)
      times.end('response')
      if (compiled.warning !== null) {
        log.warn(compiled.warning, { method: http.method, path: http.path, requestId })
        rendered = withHeader(rendered, 'warning', compiled.warning)
      }
      return finish(catalog.settings.serverTiming ? withHeader(rendered, 'server-timing', times.header()) : rendered)
    } catch (error) {
      const serviceError = toServiceError(error, { isAuthenticated, requestId })
      if (serviceError instanceof DatabaseServiceError && serviceError.reasonPhrase !== null)
        setReasonPhrase?.(serviceError.reasonPhrase)
      return finish(renderError(serviceError, settings ?? VERBOSE))
    }
  }

  async function compileWithBody(
    httpRequest: Request,
    http: HttpRequest,
    context: RequestContext,
  ): Promise<ReadyRequest> {
    const request = parseRequest(http, context.catalog.settings)
    const requestWithPayload = await readPayload(httpRequest, request, { ...context, limit: bodyLimit })
    context.times.end('parse')
    return planCache.compileWithBody(http, requestWithPayload, context)
  }

  async function answer(compiled: ReadyRequest, context: RequestContext): Promise<Rendered> {
    if (compiled.main !== null) return runQuery(compiled, context)
    const { plan } = compiled
    return plan.kind === 'info' ? renderInfo(plan.allow) : describeApi(plan, compiled, context)
  }

  function toServiceError(
    error: unknown,
    { isAuthenticated, requestId }: { readonly isAuthenticated: boolean; readonly requestId: string },
  ): ServiceError {
    if (error instanceof BodyTooLargeError) return restError('54000', [String(error.limit)], { hint: TOO_LARGE_HINT })
    if (error instanceof ServiceError) return error
    if (error instanceof DatabaseBusyError) return restError('PGRST003', [])
    if (error instanceof DatabaseError) return fromPostgres(error, { isAuthenticated })
    if (!isClientAbort(error)) log.error('A request to the Data API failed', error, { requestId })
    return restError('PGRSTX00', [])
  }

  return {
    async targetOf(request) {
      const http = toHttpRequest(request)
      // A call's arguments, which select its function, may be in a body that isn't kept.
      if (http.path.startsWith('/rpc/')) return null
      const catalog = await catalogLoader.current()
      // Not cached: a cached shape has placeholders instead of this request's values.
      return requestTarget(compileHttp(http, { catalog, times: new StageTimes() }))
    },
    handle,
    async onDatabaseReplaced(replacement) {
      // Resets and restores reopen the database first.
      if (replacement === 'reopened') catalogLoader.forget()
    },
    close: () => catalogLoader.close(),
  }
}

const VERBOSE = { verboseErrors: true }

const withHeader = (rendered: Rendered, name: string, value: string): Rendered => ({
  ...rendered,
  headers: [...rendered.headers, [name, value]],
})

/** Echoes the request header in `server_trace_header`. */
const withTraceHeader = (rendered: Rendered, name: string | null, headers: Headers): Rendered =>
  name === null ? rendered : { ...rendered, headers: [[name, headers.get(name) ?? ''], ...rendered.headers] }

const METHODS_WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])
const TOO_LARGE_HINT = 'Send it in parts, or raise rest_body under [limits] in supabase/undock.toml.'

function toHttpRequest(request: Request): HttpRequest {
  const { pathname, search } = splitUrl(request.url)
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : pathname
  const { method, headers } = request
  return { method, path: path === '' ? '/' : path, search, headers }
}
