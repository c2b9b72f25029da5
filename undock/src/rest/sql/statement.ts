import { empty, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import type { MediaType } from '../media-type.ts'
import type { QueryPlan, ReadPlan, RowCountGuard } from '../plan/model.ts'
import { isAllRows } from '../range.ts'
import { type Preferences, wantsCount } from '../request/preferences.ts'
import type { ApiRequest } from '../request/request.ts'
import { type Routine, returnsSingle } from '../schema-cache/model.ts'
import { bodySql } from './body.ts'
import { callSql } from './call.ts'
import { qualified } from './fields.ts'
import { type EmbedTest, joinCondition, where } from './filters.ts'
import { mutateSql } from './mutate.ts'
import { fromSql, limitSql, magnitudeSql, readSql, tableName } from './read.ts'

export type StatementRow = {
  /** Matching rows without limit, if counted (int8, so text). */
  readonly total: string | null
  readonly page: string
  readonly body: string | Buffer | null
  readonly response_headers: string | null
  readonly response_status: string | null
  /** `key=eq.value` of a single inserted row. Only writes return this column and the next. */
  readonly location?: readonly string[] | null
  readonly inserted?: number | null
}

/** Writes a whole request as one statement: a CTE does the work, and the query on it returns one row with the body, the
 *  counts, and the response's status and headers set by the database. */
export function planSql(plan: QueryPlan, request: ApiRequest, maxRows: number | null): Sql {
  const query = queryOf(plan, request, maxRows)
  return plan.media.kind === 'plan' ? explained(plan.media, query) : query
}

function queryOf(plan: QueryPlan, request: ApiRequest, maxRows: number | null): Sql {
  const { preferences } = request
  switch (plan.kind) {
    case 'read': {
      const counted = totalSql(plan.read, request, maxRows)
      const total = counted ? sql`(${counted})` : wantsCount(preferences) ? PAGE : NOT_COUNTED
      return sql`with pgrst_source as (${readSql(plan.read, magnitudeSql(plan.read))}) ${row({ total, page: PAGE, body: bodyOf(plan, null) })} from (select * from pgrst_source${limitSql(plan.read)}) _postgrest_t`
    }
    case 'mutate': {
      const { mutate, mutation } = plan
      const isUpsert = mutation === 'upsert' || (mutation === 'create' && preferences.resolution === 'merge-duplicates')
      const wantsLocation = mutation === 'create' && preferences.representation === 'headers-only'
      const rows = plan.handler.kind === 'none' ? sql`select * from pgrst_source` : readSql(plan.read)
      const columns = row({
        total: NOT_COUNTED,
        page: guarded(guardOf(plan, preferences)),
        body: bodyOf(plan, null),
        location: wantsLocation && mutate.kind === 'insert' ? locationSql(mutate.primaryKey) : sql`null::text[]`,
        inserted: isUpsert ? sql`nullif(current_setting('pgrst.inserted', true), '')::int` : sql`null::int`,
      })
      return sql`with pgrst_source as (${mutateSql(mutate)}) ${columns} from (${rows}) _postgrest_t`
    }
    case 'call': {
      const { routine } = plan.call
      const guard = guardOf(plan, preferences)
      const page = guard === null && returnsSingle(routine) ? sql`1::bigint` : guarded(guard)
      const isCut = maxRows !== null || !isAllRows(request.range)
      const counted = wantsCount(preferences) && isCut ? sql`, pgrst_source_count as (${countSql(plan.read)})` : empty
      const columns = row({
        total: !wantsCount(preferences) ? NOT_COUNTED : isCut ? COUNTED : page,
        page,
        body: bodyOf(plan, routine),
      })
      return sql`with pgrst_source as (${callSql(plan.call)})${counted} ${columns} from (${readSql(plan.read)}) _postgrest_t`
    }
  }
}

/** Returns the body as text, so that nothing parses it on the way. EXPLAIN gets the statement without this cast. */
function bodyOf({ handler, media }: QueryPlan, routine: Routine | null): Sql {
  const body = bodySql(handler, routine)
  if (media.kind === 'plan') return body
  return handler.kind === 'custom' && handler.send !== null
    ? sql`${qualified(handler.send)}(${body})`
    : sql`(${body})::text`
}

const PAGE = sql`pg_catalog.count(*)`
const COUNTED = sql`(select pg_catalog.count(*) from pgrst_source_count)`
const NOT_COUNTED = sql`null::bigint`

const RESPONSE_COLUMNS =
  "nullif(current_setting('response.headers', true), '') as response_headers, nullif(current_setting('response.status', true), '') as response_status"

type Columns = { total: Sql; page: Sql; body: Sql; location?: Sql; inserted?: Sql }

const row = ({ total, page, body, location, inserted }: Columns): Sql =>
  sql`select ${total} as total, ${page} as page, ${location ? sql`${location} as location, ` : empty}${body} as body, ${keyword(RESPONSE_COLUMNS)}${inserted ? sql`, ${inserted} as inserted` : empty}`

/** The number of rows required to not roll back. */
function guardOf(plan: QueryPlan, { handling, maxAffected }: Preferences): RowCountGuard | null {
  if (plan.media.kind === 'plan') return null
  if (plan.kind === 'mutate' && plan.mutation === 'upsert') return { kind: 'matchesKey' }
  if (plan.kind !== 'read' && plan.media.kind === 'object') return { kind: 'single' }
  const limitsRows = plan.kind === 'call' || (plan.kind === 'mutate' && plan.mutation !== 'create')
  return limitsRows && handling === 'strict' && maxAffected !== null
    ? { kind: 'maxAffected', maxRows: maxAffected }
    : null
}

export const GUARD_CODES = { single: 'PGRST116', matchesKey: 'PGRST115', maxAffected: 'PGRST124' } as const

/** Counts the rows; a wrong number fails the statement, which rolls it back without a second exchange. SQL has no
 *  "raise", so a text that names the guard is cast to a number; response/database-error.ts reads it from the error. */
function guarded(guard: RowCountGuard | null): Sql {
  if (guard === null) return PAGE
  const broken = guard.kind === 'maxAffected' ? sql`${PAGE} > ${guard.maxRows}::bigint` : sql`${PAGE} <> 1`
  return sql`case when ${broken} then ('undock:${keyword(GUARD_CODES[guard.kind])}:' || ${PAGE})::bigint else ${PAGE} end`
}

const locationSql = (primaryKey: readonly string[]): Sql => sql`case when ${PAGE} = 1 then (
  select array_agg(k.key || '=' || coalesce('eq.' || k.value, 'is.null'))
  from (select row_to_json(r) as json from (select * from pgrst_source limit 1) r) d
  cross join json_each_text(d.json) k
  where k.key = any(${primaryKey})
) end`

const EXPLAIN_OPTIONS = {
  analyze: 'analyze',
  verbose: 'verbose',
  settings: 'settings',
  buffers: 'buffers',
  wal: 'wal',
} as const

function explained(media: Extract<MediaType, { kind: 'plan' }>, query: Sql): Sql {
  const options = [
    keyword(`format ${media.format}`),
    ...media.options.map((option) => keyword(EXPLAIN_OPTIONS[option])),
  ]
  return sql`explain (${join(options)}) ${query}`
}

/** Asks for the planner's row estimate, for `count=planned` and `count=estimated`. */
export const plannedCountSql = (plan: QueryPlan): Sql => sql`explain (format json) ${countSql(plan.read)}`

/** Counts the rows without limit as `total`, if the request wants it and a limit may have cut rows off. For an estimate
 *  it suffices to know that there are more rows than the server returns. Null without a count. */
function totalSql(plan: ReadPlan, { preferences, range }: ApiRequest, maxRows: number | null): Sql | null {
  if (!wantsCount(preferences) || (maxRows === null && isAllRows(range))) return null
  const limit = preferences.count === 'estimated' && maxRows !== null ? sql` limit ${maxRows + 1}` : empty
  return sql`select pg_catalog.count(*) as total from (${countSql(plan)}${limit}) pgrst_source_count`
}

/** Selects a constant for each of the root's rows without limit, to be counted; inner joins become EXISTS. */
function countSql(plan: ReadPlan): Sql {
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
