import type { Batch, Db, Result } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import { arrivalOf, isSenderGone } from '../kernel/arrival.ts'
import type { Log, Service } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { type Statement, sql, statement } from '../kernel/sql.ts'
import { splitUrl } from '../kernel/url.ts'
import { authenticate } from './authentication.ts'
import { accessOf, type Caller, preRequestStatement, transactionSettings } from './context.ts'
import { restError } from './errors.ts'
import { type Interpreted, Interpreter, type Query } from './interpret.ts'
import { wantedTimezone, wantsCount } from './request/preferences.ts'
import type { ApiRequest, HttpRequest } from './request/request.ts'
import { fromPostgres, isPostgresError, notSingle } from './response/database-error.ts'
import { countedRows, jsonRows } from './response/json-rows.ts'
import { describeApi } from './response/openapi/describe.ts'
import { type Rendered, renderError, renderExplain, renderInfo, renderResult, toResponse } from './response/response.ts'
import { StageTimes } from './response/server-timing.ts'
import { holdSchemaCache, type Known } from './schema-cache/holder.ts'
import type { JsonTypes } from './schema-cache/json-types.ts'
import type { ApiConfig } from './settings.ts'
import type { RowsShape } from './sql/rows.ts'
import { RESPONSE_COLUMNS, type StatementRow } from './sql/statement.ts'

const PREFIX = '/rest/v1'

export type RestDeps = { readonly db: Db; readonly identity: Identity; readonly config: ApiConfig; readonly log: Log }

/** The Data API: PostgREST 14's answers from a project's own database.
 *  A request goes through four stages, each a function of what the one before it gave. */
export async function createRest({ db, identity, config, log }: RestDeps): Promise<{
  handle: Service
  /** The database is another one. */
  forget(): void
  close(): Promise<void>
}> {
  const schemas = await holdSchemaCache(db, config, log)
  const timezones = knownTimezones(db)
  const interpreter = new Interpreter()

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
      const caller = { principal, headers: http.headers, rawHeaders: arrivalOf(request)?.rawHeaders ?? null }
      const interpreted = interpreter.interpret(http, known, isTimezone, times)
      let rendered = await answer(interpreted, caller, known, times)
      if (rendered === null) {
        // Postgres makes the JSON that could not be made here.
        const again = interpreter.interpretAgain(interpreted as Query, http, known, isTimezone, times)
        rendered = (await answer(again, caller, known, times)) as Rendered
      }
      times.end('response')
      if (!known.settings.serverTiming) return finish(rendered)
      return finish({ ...rendered, headers: [...rendered.headers, ['server-timing', times.header()]] })
    } catch (error) {
      return finish(renderError(refusal(error, isSomebody, requestId)))
    }
  }

  /** @returns null when the rows cannot be made JSON of here. */
  async function answer(
    interpreted: Interpreted,
    caller: Caller,
    known: Known,
    times: StageTimes,
  ): Promise<Rendered | null> {
    if (interpreted.main !== null) return query(interpreted, caller, known, times)
    const { plan, wish } = interpreted
    return plan.kind === 'info' ? renderInfo(plan.allow) : describeApi(plan, wish, caller, known, db, times)
  }

  async function query(
    { wish, plan, main, rows, plannedCount, isShared }: Query,
    caller: Caller,
    known: Known,
    times: StageTimes,
  ): Promise<Rendered | null> {
    const { settings, roleSettings, cache } = known
    const { transaction } = wish.preferences
    const rollback = transaction === 'rollback' || (settings.rollbackAll && transaction !== 'commit')
    const before = [
      ...(plan.media.kind === 'plan' && plan.media.options.includes('settings') ? [PLAN_AS_SERVER] : []),
      ...(settings.preRequest === null ? [] : [preRequestStatement(settings.preRequest)]),
    ]
    const isolation =
      (plan.kind === 'call' ? plan.call.routine.isolation : null) ?? roleSettings.get(caller.principal.role)?.isolation
    const batch: Batch = {
      settings: transactionSettings(caller, wish, plan, known),
      access: accessOf(plan),
      statements: [
        ...before,
        main,
        ...(rows ? [RESPONSE_SETTINGS] : []),
        ...(plannedCount ? [plannedCount] : []),
        ...(rollback ? [CHECK_CONSTRAINTS] : []),
      ],
      isShared,
      end: rollback ? 'rollback' : 'commit',
      ...(isolation ? { isolation } : {}),
    }
    const results = (await db.run(batch)).slice(before.length)
    times.end('transaction')
    if (plan.media.kind === 'plan')
      return renderExplain(plan, wish, explainText((results[0]?.rows ?? []) as ExplainRow[]))
    const row = rows ? rowOf(results, rows, wish, cache.jsonTypes) : (results[0]?.rows[0] as StatementRow)
    if (row === null) return null
    if (plan.kind === 'read' && plan.media.kind === 'object' && row.page !== '1') throw notSingle(row.page)
    const planned = plannedCount ? plannedRows((results[rows ? 2 : 1]?.rows ?? []) as ExplainRow[]) : null
    return renderResult(plan, wish, row, totalOf(row, planned, wish, settings.maxRows))
  }

  function refusal(error: unknown, isSomebody: boolean, requestId: string): ServiceError {
    if (error instanceof ServiceError) return error
    if (isPostgresError(error)) return fromPostgres(error, isSomebody)
    if (!isSenderGone(error)) log.error('A request to the Data API failed', error, { requestId })
    return restError('PGRSTX00', [])
  }

  return { handle, forget: () => schemas.forget(), close: () => schemas.close() }
}

const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])

async function readHttp(request: Request): Promise<HttpRequest> {
  const { pathname, search } = splitUrl(request.url)
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

/** What the database has to say about the response beside the rows. */
const RESPONSE_SETTINGS: Statement = {
  text: `select ${RESPONSE_COLUMNS}`,
  values: [],
  isKept: true,
}

/** Those who share a read have asked for the same body of it. */
const bodies = new WeakMap<Result, Buffer | null>()

function bodyOf(found: Result, shape: RowsShape, types: JsonTypes): Buffer | null {
  const known = bodies.get(found)
  if (known !== undefined) return known
  const body = found.text ? jsonRows(found.text, shape, types) : null
  bodies.set(found, body)
  return body
}

/** The row that the statement would have given, had Postgres made the body.
 *  @returns null when it has to. */
function rowOf(
  [found, told]: readonly Result[],
  shape: RowsShape,
  { preferences }: ApiRequest,
  types: JsonTypes,
): StatementRow | null {
  const body = found ? bodyOf(found, shape, types) : null
  if (!found || body === null) return null
  const settings = told?.rows[0] as Pick<StatementRow, 'response_headers' | 'response_status'>
  if (found.text && shape.isCounted) {
    const { total, page } = countedRows(found.text, found.rowCount)
    return { ...settings, total, page: String(page), body }
  }
  const page = String(found.rowCount)
  return { ...settings, total: wantsCount(preferences) ? page : null, page, body }
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
