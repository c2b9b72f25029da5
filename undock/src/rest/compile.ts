import { type Sql, type Statement, statement } from '../kernel/sql.ts'
import type { Plan, QueryPlan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { readsTablesOnly } from './plan/tables-only.ts'
import { wantsPlannedCount } from './request/preferences.ts'
import { type ApiRequest, type HttpRequest, parseRequest } from './request/request.ts'
import { legacyTargetWarning } from './response/legacy-target-warning.ts'
import type { StageTimes } from './response/server-timing.ts'
import { refuseUnfiltered } from './safe-update.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'
import { type RowsShape, rowsSql } from './sql/rows.ts'
import { plannedCountSql, planSql } from './sql/statement.ts'

/** What compiling a request needs beside the request. */
export type CompileContext = {
  readonly catalog: Catalog
  readonly times: StageTimes
}

/** A request with everything that can be decided before the database is asked. */
export type CompiledRequest =
  | CompiledQuery
  | {
      readonly request: ApiRequest
      readonly plan: Exclude<Plan, QueryPlan>
      readonly main: null
      readonly warning: null
    }

export type CompiledQuery = {
  readonly request: ApiRequest
  readonly plan: QueryPlan
  /** The statement that does the request's work. */
  readonly main: Statement
  /** The header Warning, where the request relies on something that will be removed; null otherwise. */
  readonly warning: string | null
  /** How the body is built from the rows that `main` returns; null where `main` returns the finished body. */
  readonly rowsShape: RowsShape | null
  /** Asks how many rows the planner expects; null where the request does not want that. */
  readonly plannedCount: Statement | null
  /** Whether identical requests that arrive together may share one result. */
  readonly isShareable: boolean
}

/** Texts of statements whose rows Postgres itself has to turn into JSON. */
export type StatementTexts = Pick<ReadonlySet<string>, 'has'>

/** Parses, plans and writes the SQL of a request without a body. The result depends on the arguments alone.
 *  @param jsonByPostgres The statements that are to return a finished body instead of rows.
 *  @throws PGRST1xx and PGRST2xx: what parsing and planning refuse. */
export function compileHttp(
  http: HttpRequest,
  context: CompileContext,
  jsonByPostgres: StatementTexts,
): CompiledRequest {
  const request = parseRequest(http, context.catalog.settings)
  context.times.end('parse')
  return compileRequest(request, context, jsonByPostgres)
}

/** The same for a request that is parsed already. */
export function compileRequest(
  request: ApiRequest,
  { catalog, times }: Pick<CompileContext, 'catalog' | 'times'>,
  jsonByPostgres: StatementTexts,
): CompiledRequest {
  const { settings, cache } = catalog
  const plan = planRequest(request, cache, settings)
  if (settings.safeUpdate) refuseUnfiltered(plan)
  times.end('plan')
  if (plan.kind === 'info' || plan.kind === 'inspect') return { request, plan, main: null, warning: null }
  const countsByPlan = plan.kind === 'read' && plan.media.kind !== 'plan' && wantsPlannedCount(request.preferences)
  const rows = rowsSql(plan, request, settings.maxRows)
  const toStatement = (query: Sql): Statement =>
    settings.preparedStatements ? statement(query) : { ...statement(query), isUnprepared: true }
  const rowsStatement = rows && { ...toStatement(rows.rows), asText: true }
  const returnsRows = rowsStatement !== null && !jsonByPostgres.has(rowsStatement.text)
  return {
    request,
    plan,
    main: returnsRows ? rowsStatement : toStatement(planSql(plan, request, settings.maxRows)),
    warning: settings.legacyTargetNames ? legacyTargetWarning(plan.read) : null,
    rowsShape: returnsRows ? (rows?.shape ?? null) : null,
    plannedCount: countsByPlan ? toStatement(plannedCountSql(plan)) : null,
    isShareable: settings.preRequest === null && readsTablesOnly(plan, cache),
  }
}
