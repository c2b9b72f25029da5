import { type Sql, sql } from '../../kernel/sql.ts'
import type { Plan } from '../plan/model.ts'
import { isAllRows } from '../range.ts'
import { wantsCount } from '../request/preferences.ts'
import type { ApiRequest } from '../request/request.ts'
import { flatEmbeds } from './flat-embeds.ts'
import { limitSql, magnitudeSql, readSql } from './read.ts'

/** What a body of JSON is to be made of besides the rows. */
export type RowsShape = {
  /** How many embedded rows stand among a row's columns. */
  readonly embeds: number
  /** One row alone, without a list around it. */
  readonly isSingle: boolean
}

/** A read whose rows come as they are, to be made JSON of here (response/json-rows.ts): in WebAssembly Postgres' own JSON functions
 *  take more time than all else.
 *  @returns null when the body is something else, or when the rows have to be counted in the same breath. */
export function rowsSql(
  plan: Plan,
  { preferences, range }: ApiRequest,
  maxRows: number | null,
): { readonly rows: Sql; readonly shape: RowsShape } | null {
  if (plan.kind !== 'read' || plan.media.kind === 'plan') return null
  const isSingle = plan.handler.kind === 'object' && !plan.handler.stripNulls
  if (plan.handler.kind !== 'json' && !isSingle) return null
  if (wantsCount(preferences) && (maxRows !== null || !isAllRows(range))) return null
  const flat = flatEmbeds(plan.read)
  const inner = readSql(plan.read, magnitudeSql(plan.read), flat)
  return {
    rows: sql`select * from (${inner}) _postgrest_t${limitSql(plan.read)}`,
    shape: { embeds: flat.size, isSingle },
  }
}
