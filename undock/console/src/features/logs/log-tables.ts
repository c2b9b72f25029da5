import type { LogLine } from '../../../../src/kernel/log-lines.ts'
import { ApiError, type Statement, type StatementResult, tryOut } from '../../lib/api.ts'
import type { RequestTree } from '../requests/queries.ts'
import { flatRequests } from '../requests/request-file.ts'

/** The tables that a log query can read, with their columns. Times in milliseconds; a statement's duration is its share of its pipeline's. */
export const LOG_TABLES = {
  requests: {
    id: 'text',
    parent: 'text',
    time: 'timestamptz',
    method: 'text',
    path: 'text',
    service: 'text',
    status: 'int',
    duration: 'float8',
    role: 'text',
    user_id: 'text',
    statements: 'int',
    error: 'text',
  },
  statements: {
    request: 'text',
    time: 'timestamptz',
    sql: 'text',
    role: 'text',
    rows: 'int',
    duration: 'float8',
    waited: 'float8',
    error: 'text',
  },
  lines: { time: 'timestamptz', service: 'text', level: 'text', message: 'text', request: 'text', fields: 'jsonb' },
} as const

type Rows = Readonly<Record<keyof typeof LOG_TABLES, readonly Readonly<Record<string, unknown>>[]>>

/** A period in milliseconds since 1970, without its end. */
export type TimeRange = { readonly from: number; readonly to: number }

const isIn = (time: string, range: TimeRange | null): boolean =>
  range === null || (Date.parse(time) >= range.from && Date.parse(time) < range.to)

/** The tables' rows, oldest first. */
export function logRows(trees: readonly RequestTree[], lines: readonly LogLine[], range: TimeRange | null): Rows {
  const requests = flatRequests(trees).filter(({ time }) => isIn(time, range))
  const at = (time: string, start: number) => new Date(Date.parse(time) + start).toISOString()
  return {
    requests: requests.map(({ id, parent, time, method, path, service, status, duration, caller, spans }) => ({
      id,
      parent,
      time,
      method,
      path,
      service,
      status,
      duration,
      role: caller?.role ?? null,
      user_id: caller?.claims.sub ?? null,
      statements: spans.reduce((sum, span) => sum + (span.kind === 'sql' ? span.statements.length : 0), 0),
      error: spans.find(({ error }) => error !== null)?.error ?? null,
    })),
    statements: requests.flatMap(({ id, time, spans }) =>
      spans.flatMap((span) =>
        span.kind === 'sql'
          ? span.statements.map(({ text, rows }) => ({
              request: id,
              time: at(time, span.start),
              sql: text,
              role: span.role,
              rows,
              duration: span.duration / span.statements.length,
              waited: span.waited / span.statements.length,
              error: span.error,
            }))
          : [],
      ),
    ),
    lines: lines
      .filter(({ time }) => isIn(time, range))
      .map(({ time, service, level, message, fields }) => {
        const { requestId = null, ...rest } = fields
        return { time, service, level, message, request: requestId, fields: rest }
      }),
  }
}

/** The maximum size of one table's rows, so that all tables fit in a request. */
const MAX_CHARACTERS = 3_500_000

/** Returns rows as JSON without the oldest if there are too many, and the number omitted. */
export function jsonOf(rows: readonly unknown[]): { json: string; left: number } {
  const kept: string[] = []
  let length = 0
  for (const row of rows.toReversed()) {
    const text = JSON.stringify(row, storable)
    length += text.length + 1
    if (length > MAX_CHARACTERS) break
    kept.push(text)
  }
  return { json: `[${kept.reverse().join(',')}]`, left: rows.length - kept.length }
}

/** Makes a text valid for jsonb, which refuses NUL and lone surrogates. Functions may log both. */
const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value

const NAMES: readonly (keyof typeof LOG_TABLES)[] = ['requests', 'statements', 'lines']

const CREATE = NAMES.map(
  (name) =>
    `create temp table ${name} (${Object.entries(LOG_TABLES[name])
      .map(([column, type]) => `"${column}" ${type}`)
      .join(', ')}) on commit drop`,
).join(';\n')

/** The maximum number of rows shown. */
const MAX_ROWS = 5_000

/** @property left How many of the oldest rows were omitted. */
export type LogAnswer = { readonly result: StatementResult; readonly left: number }

/** Runs one statement on the log in a read-only transaction. It can join the project's tables.
 *  @throws {ApiError} its `fields.position` is the character of the statement, from 1. */
export async function queryLog(sql: string, rows: Rows): Promise<LogAnswer> {
  const filled = NAMES.map((name) => ({ name, ...jsonOf(rows[name]) }))
  const results = await tryOut(`set local statement_timeout = '20s'; ${CREATE}`, [
    ...filled.map(
      ({ name, json }): Statement => ({
        text: `insert into pg_temp.${name} select * from jsonb_populate_recordset(null::pg_temp.${name}, $1::jsonb)`,
        values: [json],
        limit: 0,
      }),
    ),
    { text: 'set transaction read only', limit: 0 },
    { text: sql.replace(/;\s*$/, ''), limit: MAX_ROWS },
  ])
  const result = results.at(-1)
  if (!result) throw new ApiError(500, { message: 'The query did not respond.' })
  return { result, left: filled.reduce((sum, { left }) => sum + left, 0) }
}

/** @property at Its start, in milliseconds since 1970. */
export type Bucket = { readonly at: number; readonly requests: number; readonly failed: number }

/** Counts requests in equal intervals of their period. */
export function bucketsOf(requests: readonly Pick<RequestTree, 'time' | 'status'>[], count: number): readonly Bucket[] {
  const times = requests.map(({ time }) => Date.parse(time))
  const [first, last] = times.reduce(
    ([from, to], time) => [Math.min(from, time), Math.max(to, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  if (!Number.isFinite(first)) return []
  const width = Math.max(1_000, Math.ceil((last + 1 - first) / count))
  const buckets = Array.from({ length: Math.max(1, Math.ceil((last + 1 - first) / width)) }, (_, n) => ({
    at: first + n * width,
    requests: 0,
    failed: 0,
  }))
  for (const [index, time] of times.entries()) {
    const bucket = buckets[Math.floor((time - first) / width)]
    if (!bucket) continue
    bucket.requests += 1
    if ((requests[index]?.status ?? 0) >= 400) bucket.failed += 1
  }
  return buckets
}
