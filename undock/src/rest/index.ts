import type { Batch, Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Log, Principal, Service } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { type Statement, sql, statement } from '../kernel/sql.ts'
import { authenticate } from './authentication.ts'
import { accessOf, preRequestStatement, transactionSettings } from './context.ts'
import { restError } from './errors.ts'
import type { Plan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import { wantedTimezone, wantsPlannedCount } from './request/preferences.ts'
import { type ApiRequest, type HttpRequest, parseRequest } from './request/request.ts'
import { fromPostgres, isPostgresError, notSingle } from './response/database-error.ts'
import { describeApi } from './response/openapi/describe.ts'
import { type Rendered, renderError, renderExplain, renderInfo, renderResult, toResponse } from './response/response.ts'
import { StageTimes } from './response/server-timing.ts'
import { refuseUnfiltered } from './safe-update.ts'
import { holdSchemaCache, type Known } from './schema-cache/holder.ts'
import type { ApiConfig } from './settings.ts'
import { plannedCountSql, planSql, type StatementRow } from './sql/statement.ts'

const PREFIX = '/rest/v1'

export type RestDeps = { readonly db: Db; readonly identity: Identity; readonly config: ApiConfig; readonly log: Log }

/** The Data API: PostgREST 14's answers from a project's own database.
 *  A request goes through four stages, each a function of what the one before it gave. */
export async function createRest({
  db,
  identity,
  config,
  log,
}: RestDeps): Promise<{ handle: Service; close(): Promise<void> }> {
  const schemas = await holdSchemaCache(db, config, log)
  const timezones = knownTimezones(db)

  const handle: Service = async (request, { requestId }) => {
    let isSomebody = false
    let trace: string | null = null
    const finish = (rendered: Rendered): Response =>
      toResponse(
        trace === null
          ? rendered
          : { ...rendered, headers: [[trace, request.headers.get(trace) ?? ''], ...rendered.headers] },
      )
    try {
      const known = await schemas.current()
      trace = known.settings.traceHeader
      const times = new StageTimes()
      const principal = await authenticate(request, identity, known.settings)
      isSomebody = principal.role !== known.settings.anonRole
      times.end('jwt')
      const http = await readHttp(request)
      const isTimezone = await timezones(wantedTimezone(http.headers.get('prefer')))
      const wish = parseRequest(http, known.settings, isTimezone)
      times.end('parse')
      const plan = planRequest(wish, known.cache, known.settings)
      if (known.settings.safeUpdate) refuseUnfiltered(plan)
      times.end('plan')
      const rendered = await answer(plan, wish, principal, known, times)
      times.end('response')
      if (!known.settings.serverTiming) return finish(rendered)
      return finish({ ...rendered, headers: [...rendered.headers, ['server-timing', times.header()]] })
    } catch (error) {
      return finish(renderError(refusal(error, isSomebody, requestId)))
    }
  }

  async function answer(
    plan: Plan,
    wish: ApiRequest,
    principal: Principal,
    known: Known,
    times: StageTimes,
  ): Promise<Rendered> {
    switch (plan.kind) {
      case 'info':
        return renderInfo(plan.allow)
      case 'inspect':
        return describeApi(plan, wish, principal, known, db, times)
      default:
        return query(plan, wish, principal, known, times)
    }
  }

  async function query(
    plan: Exclude<Plan, { kind: 'info' | 'inspect' }>,
    wish: ApiRequest,
    principal: Principal,
    known: Known,
    times: StageTimes,
  ): Promise<Rendered> {
    const { settings, roleSettings } = known
    const main = statement(planSql(plan, wish, settings.maxRows))
    const isExplain = plan.media.kind === 'plan'
    const countsByPlan = plan.kind === 'read' && !isExplain && wantsPlannedCount(wish.preferences)
    const { transaction } = wish.preferences
    const rollback = transaction === 'rollback' || (settings.rollbackAll && transaction !== 'commit')
    const before = [
      ...(plan.media.kind === 'plan' && plan.media.options.includes('settings') ? [PLAN_AS_SERVER] : []),
      ...(settings.preRequest === null ? [] : [preRequestStatement(settings.preRequest)]),
    ]
    const isolation =
      (plan.kind === 'call' ? plan.call.routine.isolation : null) ?? roleSettings.get(principal.role)?.isolation
    const batch: Batch = {
      settings: transactionSettings(wish, plan, principal, known),
      access: accessOf(plan),
      statements: [
        ...before,
        main,
        ...(countsByPlan ? [statement(plannedCountSql(plan))] : []),
        ...(rollback ? [CHECK_CONSTRAINTS] : []),
      ],
      end: rollback ? 'rollback' : 'commit',
      ...(isolation ? { isolation } : {}),
    }
    const results = (await db.run(batch)).slice(before.length)
    times.end('transaction')
    if (isExplain) return renderExplain(plan, wish, explainText((results[0]?.rows ?? []) as ExplainRow[]))
    const row = results[0]?.rows[0] as StatementRow
    if (plan.kind === 'read' && plan.media.kind === 'object' && row.page !== '1') throw notSingle(row.page)
    const planned = countsByPlan ? plannedRows((results[1]?.rows ?? []) as ExplainRow[]) : null
    return renderResult(plan, wish, row, totalOf(row, planned, wish, settings.maxRows))
  }

  function refusal(error: unknown, isSomebody: boolean, requestId: string): ServiceError {
    if (error instanceof ServiceError) return error
    if (isPostgresError(error)) return fromPostgres(error, isSomebody)
    log.error('A request to the Data API failed', error, { requestId })
    return restError('PGRSTX00', [])
  }

  return { handle, close: () => schemas.close() }
}

const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])

async function readHttp(request: Request): Promise<HttpRequest> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : pathname
  const { method, headers } = request
  // Not `request.body`: to look at it makes the server build a whole Request with a stream.
  const body = BODYLESS.has(method) ? new Uint8Array() : new Uint8Array(await request.arrayBuffer())
  return { method, path: path === '' ? '/' : path, search, headers, body }
}

/** Deferred constraints would otherwise never be checked in what is rolled back. */
const CHECK_CONSTRAINTS: Statement = { text: 'set constraints all immediate', values: [] }

/** An engine of one process is started without parallel plans. Whoever asks for a plan with its settings wants that of
 *  the project's server, which has them. */
const PLAN_AS_SERVER: Statement = {
  text: `select set_config(name, boot_val, true) from pg_catalog.pg_settings
    where source = 'command line' and name in ('max_parallel_workers', 'max_parallel_workers_per_gather')`,
  values: [],
}

type ExplainRow = { readonly 'QUERY PLAN': unknown }

const explainText = (rows: readonly ExplainRow[]): string =>
  `${rows.map((row) => (typeof row['QUERY PLAN'] === 'string' ? row['QUERY PLAN'] : JSON.stringify(row['QUERY PLAN'], null, 2))).join('\n')}\n`

function plannedRows([row]: readonly ExplainRow[]): number | null {
  const [first] = (row?.['QUERY PLAN'] ?? []) as { Plan?: { 'Plan Rows'?: number } }[]
  return first?.Plan?.['Plan Rows'] ?? null
}

function totalOf(
  row: StatementRow,
  planned: number | null,
  { preferences }: ApiRequest,
  maxRows: number | null,
): number | null {
  const counted = row.total === null ? null : Number(row.total)
  if (preferences.count === 'planned') return planned ?? counted
  if (preferences.count !== 'estimated' || counted === null) return counted
  return maxRows === null || counted > maxRows ? Math.max(counted, planned ?? 0) : counted
}

/** Asks Postgres for its time zones when the first request names one. */
function knownTimezones(db: Db): (wanted: string | null) => Promise<(name: string) => boolean> {
  let names: Promise<ReadonlySet<string>> | null = null
  return async (wanted) => {
    if (wanted === null) return () => false
    names ??= db
      .query<{ name: string }>(statement(sql`select name from pg_catalog.pg_timezone_names`))
      .then(({ rows }) => new Set(rows.map(({ name }) => name)))
    const known = await names
    return (name) => known.has(name)
  }
}
