import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import type { MediaType } from '../media-type.ts'
import {
  type Argument,
  type CallPlan,
  type MutatePlan,
  type QueryPlan,
  type ReadPlan,
  type RowCountGuard,
  unknownField,
  type WhereTree,
} from '../plan/model.ts'
import { isAllRows } from '../range.ts'
import { type Preferences, wantsCount } from '../request/preferences.ts'
import type { ApiRequest } from '../request/request.ts'
import {
  type QualifiedName,
  type Routine,
  type RoutineParameter,
  returnsScalar,
  returnsSetOfScalar,
  returnsSingle,
} from '../schema-cache/model.ts'
import { bodySql } from './body.ts'
import { column, localName, qualified } from './fields.ts'
import { type EmbedTest, joinCondition, where } from './filters.ts'
import { bodyColumn, bodyColumns, fromJsonBody } from './json-body.ts'
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

/** Writes a function call as a query for its result's rows. */
function callSql(plan: CallPlan): Sql {
  const { routine, parameters, arguments: given } = plan
  const isScalar = returnsScalar(routine) || returnsSetOfScalar(routine)
  const called = (values: Sql): Sql =>
    isScalar
      ? sql`(select ${qualified(routine)}(${values}) pgrst_scalar) pgrst_call`
      : sql`${qualified(routine)}(${values}) pgrst_call`
  const select = isScalar ? sql`select pgrst_call.pgrst_scalar` : sql`select ${returnedColumns(plan)}`
  if (parameters.kind === 'whole') return sql`${select} from ${called(wholeArgument(parameters.parameter, given))}`
  if (parameters.given.length === 0) return sql`${select} from ${called(empty)}`
  if (given.kind === 'json') {
    const fields = parameters.given.map(({ name, unlimitedType }) => ({ ...unknownField(name), type: unlimitedType }))
    const values = parameters.given.map((one) => named(one, bodyColumn(one.name)))
    const body = fromJsonBody(given.body, fields, { applyDefaults: false, firstOnly: true })
    return sql`${select} ${body}, lateral ${called(join(values))}`
  }
  const values = parameters.given.map((one) =>
    named(one, directArgument(one, given.kind === 'direct' ? given.values.get(one.name) : undefined)),
  )
  return sql`${select} from ${called(join(values))}`
}

const named = ({ name, variadic }: RoutineParameter, value: Sql): Sql =>
  sql`${variadic ? sql`variadic ` : empty}${identifier(name)} := ${value}`

const directArgument = ({ unlimitedType }: RoutineParameter, value: Argument | undefined): Sql =>
  sql`${value ?? null}::${keyword(unlimitedType)}`

function wholeArgument({ type }: RoutineParameter, given: CallPlan['arguments']): Sql {
  if (given.kind === 'raw') {
    return type === 'bytea' ? sql`${given.bytes}::bytea` : sql`${given.bytes.toString('utf8')}::${keyword(type)}`
  }
  if (given.kind === 'json') return sql`${given.body.text}::json::${keyword(type)}`
  return sql`${JSON.stringify(Object.fromEntries(given.values))}::${keyword(type)}`
}

function returnedColumns({ returning, filterFields }: CallPlan): Sql {
  if (returning.length === 0) return sql`*`
  const names = returning.includes('*') ? ['*'] : [...new Set([...returning, ...filterFields])].sort()
  return join(names.map((name) => column(localName('pgrst_call'), name)))
}

type Insert = Extract<MutatePlan, { kind: 'insert' }>
type Update = Extract<MutatePlan, { kind: 'update' }>

function mutateSql(plan: MutatePlan): Sql {
  switch (plan.kind) {
    case 'insert':
      return insertSql(plan)
    case 'update':
      return updateSql(plan)
    case 'delete':
      return sql`delete from ${qualified(plan.from)}${whereAll(plan.from, plan.where)}${returningSql(plan.from, plan.returning)}`
  }
}

/** Counts inserted rows in a setting, because RETURNING can't distinguish them from updated ones. Always true. */
const COUNT_INSERTED = countInserted('+', '0')
const COUNT_UPDATED = countInserted('-', '-1')

function countInserted(sign: '+' | '-', never: '0' | '-1'): Sql {
  const current = sql`nullif(current_setting('pgrst.inserted', true), '')::int`
  return sql`set_config('pgrst.inserted', (coalesce(${current}, 0) ${keyword(sign)} 1)::text, true) <> '${keyword(never)}'`
}

function insertSql({ into, columns, body, onConflict, where: conditions, returning, applyDefaults }: Insert): Sql {
  const isPut = conditions.length > 0
  const merges = onConflict?.resolution === 'merge-duplicates'
  const names = columns.length === 0 ? empty : sql`(${join(columns.map(({ name }) => identifier(name)))})`
  const select = sql`select ${bodyColumns(columns)} ${fromJsonBody(body, columns, { applyDefaults, firstOnly: false })}`
  const matches = conditions.map((tree) => where(localName('pgrst_body'), tree))
  const filter = isPut || merges ? sql` where ${join([COUNT_INSERTED, ...matches], ' and ')}` : empty
  return sql`insert into ${qualified(into)}${names} ${select}${filter}${conflictSql(onConflict, columns)}${returningSql(into, returning)}`
}

function conflictSql(onConflict: Insert['onConflict'], columns: Insert['columns']): Sql {
  if (onConflict === null || onConflict.columns.length === 0) return empty
  const target = sql` on conflict (${join(onConflict.columns.map((name) => identifier(name)))})`
  if (onConflict.resolution === 'ignore-duplicates' || columns.length === 0) return sql`${target} do nothing`
  const changes = columns.map(({ name }) => sql`${identifier(name)} = excluded.${identifier(name)}`)
  return sql`${target} do update set ${join(changes)} where ${COUNT_UPDATED}`
}

function updateSql({ table, columns, body, where: conditions, returning, applyDefaults }: Update): Sql {
  if (columns.length === 0) {
    // `{}` changes nothing, and SET can't be empty: return no rows, with the columns that the outer query expects.
    const empties =
      returning.length === 0 ? sql`null` : join(returning.map((name) => column(localName(table.name), name)))
    return sql`select ${empties} from ${qualified(table)} where false`
  }
  const changes = columns.map(({ name }) => sql`${identifier(name)} = ${bodyColumn(name)}`)
  const from = fromJsonBody(body, columns, { applyDefaults, firstOnly: false })
  return sql`update ${qualified(table)} set ${join(changes)} ${from}${whereAll(table, conditions)}${returningSql(table, returning)}`
}

const whereAll = (table: QualifiedName, conditions: readonly WhereTree[]): Sql =>
  conditions.length === 0
    ? empty
    : sql` where ${join(
        conditions.map((tree) => where(table, tree)),
        ' and ',
      )}`

/** Every mutation returns something, because its rows are counted. */
const returningSql = (table: QualifiedName, returning: readonly string[]): Sql =>
  returning.length === 0 ? sql` returning 1` : sql` returning ${join(returning.map((name) => column(table, name)))}`
