import { empty, join, type Sql, sql } from '../../kernel/sql.ts'
import type { ReadPlan } from '../plan/model.ts'
import { type EmbedTest, joinCondition, where } from './filters.ts'
import { fromSql, tableName } from './read.ts'

/** The root's rows without limit, for counting: one constant a row, inner joins as EXISTS. */
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
