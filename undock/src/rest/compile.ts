import { ServiceError } from '../kernel/service-error.ts'
import { type Sql, type Statement, statement } from '../kernel/sql.ts'
import type { Plan, QueryPlan, ReadPlan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { wantsPlannedCount } from './request/preferences.ts'
import { type ApiRequest, type HttpRequest, parseRequest } from './request/request.ts'
import type { CompileContext } from './request-context.ts'
import { POSTGREST_VERSION } from './settings.ts'
import { plannedCountSql, planSql } from './sql/statement.ts'

/** Returns the Warning header if a parameter names an aliased resource by its table, deprecated since PostgREST 16. */
function legacyTargetWarning(plan: ReadPlan): string | null {
  const replaced = replacements(plan)
  if (replaced.length === 0) return null
  const message = `${DEPRECATED} Update ${replaced.join(', ')} in query string filters, orders or limits.`
  return `299 PostgRESTv${POSTGREST_VERSION} "${message}"`
}

const DEPRECATED =
  'Embedded resource was referenced by relation name even though it has an alias. This is deprecated and will stop working in a future release.'

const replacements = ({ name, alias, isNamedDespiteAlias, children }: ReadPlan): string[] => [
  ...(isNamedDespiteAlias ? [`\`${name}\` to \`${alias}\``] : []),
  ...children.flatMap(replacements),
]

/** A request with everything that can be decided without the database. */
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
  readonly main: Statement
  /** The Warning header if the request relies on deprecated behaviour, otherwise null. */
  readonly warning: string | null
  /** Asks for the planner's row estimate; null if the request doesn't want it. */
  readonly plannedCount: Statement | null
}

/** Parses and plans a request without a body, and writes its SQL. Depends only on the arguments.
 *  @throws PGRST1xx and PGRST2xx from parsing and planning. */
export function compileHttp(http: HttpRequest, context: CompileContext): CompiledRequest {
  const request = parseRequest(http, context.catalog.settings)
  context.times.end('parse')
  return compileRequest(request, context)
}

/** Compiles a parsed request. */
export function compileRequest(request: ApiRequest, { catalog, times }: CompileContext): CompiledRequest {
  const { settings, cache } = catalog
  const plan = planRequest(request, cache, settings)
  if (settings.safeUpdate) refuseUnfiltered(plan)
  times.end('plan')
  if (plan.kind === 'info' || plan.kind === 'inspect') return { request, plan, main: null, warning: null }
  const countsByPlan = plan.kind === 'read' && plan.media.kind !== 'plan' && wantsPlannedCount(request.preferences)
  const toStatement = (query: Sql): Statement =>
    settings.preparedStatements ? statement(query) : { ...statement(query), isUnprepared: true }
  return {
    request,
    plan,
    main: {
      ...toStatement(planSql(plan, request, settings.maxRows)),
      ...(plan.media.kind === 'plan' ? {} : { countedBy: 'page' }),
    },
    warning: settings.legacyTargetNames ? legacyTargetWarning(plan.read) : null,
    plannedCount: countsByPlan ? toStatement(plannedCountSql(plan)) : null,
  }
}

/** Refuses to update or delete all rows of a table, like the extension safeupdate that hosted projects load for their
 *  API. Only checks requests, not what functions do inside the database.
 *  @throws 21000 */
function refuseUnfiltered(plan: Plan): void {
  if (plan.kind !== 'mutate' || plan.mutate.kind === 'insert' || plan.mutate.where.length > 0) return
  if (plan.mutate.kind === 'update' && plan.mutate.columns.length === 0) return
  throw new ServiceError('21000', 400, `${plan.mutate.kind.toUpperCase()} requires a WHERE clause`)
}
