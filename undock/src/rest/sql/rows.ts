import { empty, join, type Sql, sql } from '../../kernel/sql.ts'
import type { Plan, ReadPlan } from '../plan/model.ts'
import { isAllRows } from '../range.ts'
import { wantsCount } from '../request/preferences.ts'
import type { ApiRequest } from '../request/request.ts'
import { type EmbedTest, joinCondition, where } from './filters.ts'
import { flatEmbeds, fromSql, limitSql, magnitudeSql, readSql, tableName } from './read.ts'

/** How a JSON body is built from the rows. */
export type RowsShape = {
  /** How many embedded rows have their columns among the columns of a row. */
  readonly embeds: number
  /** Whether the body is one row without a list around it. */
  readonly isSingle: boolean
  /** Whether each row begins with the number of rows without limit (int8) and a column that is null when there is no row. */
  readonly isCounted: boolean
}

/** Writes a read that returns plain rows, which response/json-rows.ts turns into JSON: in WebAssembly Postgres' own JSON functions
 *  take more time than everything else.
 *  @returns null when the body is not such JSON. */
export function rowsSql(
  plan: Plan,
  request: ApiRequest,
  maxRows: number | null,
): { readonly rows: Sql; readonly shape: RowsShape } | null {
  if (plan.kind !== 'read' || plan.media.kind === 'plan') return null
  const isSingle = plan.handler.kind === 'object' && !plan.handler.stripNulls
  if (plan.handler.kind !== 'json' && !isSingle) return null
  const flat = flatEmbeds(plan.read)
  const rows = sql`from (${readSql(plan.read, magnitudeSql(plan.read), flat)}) _postgrest_t${limitSql(plan.read)}`
  const total = totalSql(plan.read, request, maxRows)
  return {
    // In one statement, so that the rows and their number come from the same snapshot.
    rows: total
      ? sql`select * from (${total}) pgrst_total left join (select true, _postgrest_t.* ${rows}) _postgrest_t on true`
      : sql`select * ${rows}`,
    shape: { embeds: flat.size, isSingle, isCounted: total !== null },
  }
}

/** Counts the rows without limit as `total`, where the request wants that and a limit may have cut rows off. For an estimate it
 *  is enough to know that there are more rows than the server returns.
 *  @returns null when the returned rows are all rows, or the request wants no count. */
export function totalSql(plan: ReadPlan, { preferences, range }: ApiRequest, maxRows: number | null): Sql | null {
  if (!wantsCount(preferences) || (maxRows === null && isAllRows(range))) return null
  const limit = preferences.count === 'estimated' && maxRows !== null ? sql` limit ${maxRows + 1}` : empty
  return sql`select pg_catalog.count(*) as total from (${countSql(plan)}${limit}) pgrst_source_count`
}

/** Selects one constant for each row of the root without limit, to be counted; inner joins become EXISTS. */
export function countSql(plan: ReadPlan): Sql {
  const table = tableName(plan)
  const embedTest: EmbedTest = (not, alias) => {
    const child = plan.children.find(({ aggregateAlias }) => aggregateAlias === alias)
    if (!child) return sql`true`
    return sql`${not ? empty : sql`not `}exists (${countSql(child)})`
  }
  const conditions = [
    ...plan.where.map((tree) => where(table, tree, embedTest)),
    ...plan.joinConditions.map(joinCondition),
    ...plan.children.filter((child) => child.join === 'inner').map((child) => sql`exists (${countSql(child)})`),
  ]
  return sql`select 1${fromSql(plan)}${conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`}`
}
