import type { Batch } from '../database/db.ts'
import { quoteIdentifier, type Statement } from '../kernel/sql.ts'
import type { CompiledQuery } from './compile.ts'
import type { ReadyRequest } from './plan-cache.ts'
import type { ApiRequest } from './request/request.ts'
import type { RequestContext, RestCaller } from './request-context.ts'
import { notSingleRow } from './response/database-error.ts'
import { type Rendered, renderExplain, renderResult } from './response/response.ts'
import type { StatementRow } from './sql/statement.ts'

/** Runs a request's statements in one transaction with the caller's settings, and renders their results.
 *  @throws PGRST116, and Postgres' errors. */
export async function runQuery(
  { request, plan, main, plannedCount, transaction }: ReadyRequest<CompiledQuery>,
  { db, caller, catalog, times }: RequestContext,
): Promise<Rendered> {
  const { settings, roleSettings } = catalog
  const end = request.preferences.transaction
  const rollback = end === 'rollback' || (settings.rollbackAll && end !== 'commit')
  const before = settings.preRequest === null ? [] : [preRequestStatement(settings.preRequest)]
  const isolation =
    (plan.kind === 'call' ? plan.call.routine.isolation : null) ?? roleSettings.get(caller.principal.role)?.isolation
  const batch: Batch = {
    ...transaction,
    statements: [...before, main, ...(plannedCount ? [plannedCount] : []), ...(rollback ? [CHECK_CONSTRAINTS] : [])],
    caller: shareOf(caller),
    // Only reads: a write may wait for a lock and its commit for the disk, which separate sessions wait for together. A
    // function may take any time, depending on its arguments, and may call the Data API itself.
    ...(plan.kind === 'read' ? { timedBy: main.text } : {}),
    end: rollback ? 'rollback' : 'commit',
    ...(isolation ? { isolation } : {}),
  }
  const results = (await db.run(batch)).slice(before.length)
  times.end('transaction')
  if (plan.media.kind === 'plan')
    return renderExplain(plan, request, explainText((results[0]?.rows ?? []) as ExplainRow[]))
  const row = results[0]?.rows[0] as StatementRow
  if (plan.kind === 'read' && plan.media.kind === 'object' && row.page !== '1') throw notSingleRow(row.page)
  const planned = plannedCount ? plannedRows((results[1]?.rows ?? []) as ExplainRow[]) : null
  const total = totalOf(row, planned, request, settings.maxRows)
  return renderResult(plan, request, row, { total, verboseErrors: settings.verboseErrors })
}

/** Callers without their own token share one. */
const shareOf = ({ principal: { role, claims } }: RestCaller): string =>
  typeof claims.sub === 'string' ? `user ${claims.sub}` : `role ${role}`

/** Calls the function that checks every request, set by `alter role authenticator set pgrst.db_pre_request`. */
export const preRequestStatement = (name: string): Statement => ({
  text: `select ${name.split('.').map(quoteIdentifier).join('.')}()`,
  values: [],
})

/** When a transaction is rolled back, Postgres would never check deferred constraints. */
const CHECK_CONSTRAINTS: Statement = { text: 'set constraints all immediate', values: [] }

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
