import { ServiceError } from '../kernel/service-error.ts'
import { type Sql, type Statement, statement } from '../kernel/sql.ts'
import type { Plan, QueryPlan, ReadPlan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { wantsPlannedCount } from './request/preferences.ts'
import { type ApiRequest, type HttpRequest, parseRequest } from './request/request.ts'
import type { CompileContext } from './request-context.ts'
import { POSTGREST_VERSION } from './settings.ts'
import { plannedCountSql, planSql } from './sql/statement.ts'

/** The header Warning of a request whose parameters name an aliased resource by its table. PostgREST 16 still finds it, a later
 *  version will not (App.hs).
 *  @returns null when there is nothing to warn of. */
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
  /** Asks how many rows the planner expects; null where the request does not want that. */
  readonly plannedCount: Statement | null
}

/** Parses, plans and writes the SQL of a request without a body. The result depends on the arguments alone.
 *  @throws PGRST1xx and PGRST2xx: what parsing and planning refuse. */
export function compileHttp(http: HttpRequest, context: CompileContext): CompiledRequest {
  const request = parseRequest(http, context.catalog.settings)
  context.times.end('parse')
  return compileRequest(request, context)
}

/** The same for a request that is parsed already. */
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

/** Refuses to update or delete all rows of a table, as the extension safeupdate does, which hosted projects load for their API.
 *  Only requests are checked here, not what functions do inside the database.
 *  @throws 21000 */
function refuseUnfiltered(plan: Plan): void {
  if (plan.kind !== 'mutate' || plan.mutate.kind === 'insert' || plan.mutate.where.length > 0) return
  // An update without columns changes nothing.
  if (plan.mutate.kind === 'update' && plan.mutate.columns.length === 0) return
  throw new ServiceError('21000', 400, `${plan.mutate.kind.toUpperCase()} requires a WHERE clause`)
}
