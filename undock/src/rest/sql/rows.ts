import { type Sql, sql } from '../../kernel/sql.ts'
import type { Plan } from '../plan/model.ts'
import type { ApiRequest } from '../request/request.ts'
import { totalSql } from './count.ts'
import { flatEmbeds } from './flat-embeds.ts'
import { limitSql, magnitudeSql, readSql } from './read.ts'

/** What a body of JSON is to be made of besides the rows. */
export type RowsShape = {
  /** How many embedded rows stand among a row's columns. */
  readonly embeds: number
  /** One row alone, without a list around it. */
  readonly isSingle: boolean
  /** Whether each row begins with how many there are without limit (int8), and with something that is null where there is none. */
  readonly isCounted: boolean
}

/** A read whose rows come as they are, to be made JSON of here (response/json-rows.ts): in WebAssembly Postgres' own JSON functions
 *  take more time than all else.
 *  @returns null when the body is something else. */
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
    // Of one statement, so that the rows and their number are of the same moment.
    rows: total
      ? sql`select * from (${total}) pgrst_total left join (select true, _postgrest_t.* ${rows}) _postgrest_t on true`
      : sql`select * ${rows}`,
    shape: { embeds: flat.size, isSingle, isCounted: total !== null },
  }
}
