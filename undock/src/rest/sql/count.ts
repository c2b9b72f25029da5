import { empty, join, type Sql, sql } from '../../kernel/sql.ts'
import type { ReadPlan } from '../plan/model.ts'
import { isAllRows } from '../range.ts'
import { wantsCount } from '../request/preferences.ts'
import type { ApiRequest } from '../request/request.ts'
import { type EmbedTest, joinCondition, where } from './filters.ts'
import { fromSql, tableName } from './read.ts'

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
