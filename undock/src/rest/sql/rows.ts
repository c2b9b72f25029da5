import { type Sql, sql } from '../../kernel/sql.ts'
import type { Plan } from '../plan/model.ts'
import type { ApiRequest } from '../request/request.ts'
import { totalSql } from './count.ts'
import { flatEmbeds } from './flat-embeds.ts'
import { limitSql, magnitudeSql, readSql } from './read.ts'

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
