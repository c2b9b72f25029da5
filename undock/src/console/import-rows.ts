import pg from 'pg'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import { limitedBytesOf } from '../kernel/request-body.ts'
import type { Principal } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import type { Queryable } from './query.ts'
import { actAs, type Cell, type StatementError, StatementFailure } from './run-statements.ts'

/** The first line of an import. Each line after it is a row: an array of the columns' values, as Postgres' text, or null.
 *  @property rows How many rows follow, to detect a truncated body.
 *  @property onConflict Rows with an existing key are refused, skipped (also for other unique constraints), or update by primary key.
 *  @property as A role, or a user by id, address or phone number (default: the project's owner). */
const Head = z.strictObject({
  schema: z.string(),
  table: z.string(),
  columns: z.array(z.string()).min(1).max(1_600),
  rows: z.int().min(0),
  onConflict: z.enum(['refuse', 'skip', 'update']).default('refuse'),
  as: z.string().min(1).max(320).optional(),
})
type Head = z.infer<typeof Head>

/** The maximum size of an import in bytes. */
const BODY_LIMIT = 1024 * 1024 * 1024
/** The maximum number of characters in a row. */
const ROW_LIMIT = 64 * 1024 * 1024
/** Rows and characters per statement. */
const BATCH = { rows: 1_000, length: 1024 * 1024 }

/** Inserts rows from JSON lines (see `Head`) in one transaction: all, or none if one is refused. Sequences continue after the largest
 *  imported value, unless importing as a caller. @returns how many rows were inserted or updated. @throws {RowRefusedError} Postgres' error
 *  for a row. @throws {StatementFailure} Postgres' error for all rows together, such as a deferred constraint. @throws {ServiceError} 400
 *  for an invalid body, 413, 422 for an unknown table or column, or a missing primary key for an update. @throws {AccessQuestionError} if
 *  there's no user or role called `as`. */
export async function importRows(queryable: Queryable, db: Db, request: Request): Promise<number> {
  const lines = linesOf(request)
  try {
    const first = await lines.next()
    const head = headOf(first.done ? '' : first.value)
    const caller = head.as === undefined ? null : await findCaller(db, head.as)
    return await queryable.withClient((client) => importAs(client, caller, head, lines))
  } catch (error) {
    if (request.signal.aborted) throw new ServiceError('cancelled', 499, 'The import was cancelled.')
    throw error
  } finally {
    // Reads the rest of the body, so that the client receives the response.
    await lines.return(undefined)
  }
}

async function importAs(
  client: pg.Client,
  caller: Principal | null,
  head: Head,
  lines: AsyncIterable<string>,
): Promise<number> {
  try {
    await client.query('begin')
    const table = await openTable(client, head)
    if (caller) await actAs(client, caller)
    let [arrived, count] = [0, 0]
    for await (const batch of batchesOf(lines, table.columns.length)) {
      count += await insertBatch(client, table, batch, arrived)
      arrived += batch.length
    }
    if (arrived !== head.rows) throw invalidBody(`${head.rows} rows were announced, but ${arrived} arrived`)
    // API roles can rarely set sequences.
    if (!caller) await advanceSequences(client, table)
    await client.query('commit').catch((error: unknown) => {
      throw new StatementFailure(error)
    })
    return count
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** A row that Postgres refused.
 *  @property row Its number, from 1.
 *  @property column The offending column, if Postgres names it. */
export class RowRefusedError extends Error {
  override readonly name = 'RowRefusedError'
  readonly fault: StatementError & { readonly row: number; readonly column: string | null }
  constructor(cause: StatementFailure, row: number, column: string | null) {
    super(cause.message, { cause })
    this.fault = { ...cause.fault, row, column }
  }
}

/** @property type Without modifiers: a cast to `varchar(5)` truncates longer text, while an assignment refuses it.
 *  @property fullType With them. */
type TableColumn = {
  readonly name: string
  readonly type: string
  readonly fullType: string
  /** The column's sequence, quoted, or null. */
  readonly sequence: string | null
}

/** @property name Quoted, with its schema.
 *  @property insert The statement that inserts rows; each parameter is the array of a column's values. */
type Table = {
  readonly id: string
  readonly name: string
  readonly columns: readonly TableColumn[]
  readonly insert: string
}

const COLUMNS = `
  select a.attrelid::text as table, a.attname as name, format_type(b.oid, -1) as type,
    format_type(b.oid, case when t.typtype = 'd' then t.typtypmod else a.atttypmod end) as "fullType",
    a.attidentity as identity, pg_get_serial_sequence($1, a.attname) as sequence,
    coalesce(a.attnum = any ((select x.indkey::int2[] from pg_index x where x.indrelid = a.attrelid and x.indisprimary)::int2[]), false) as "isKey"
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`

type ColumnRow = TableColumn & { readonly table: string; readonly identity: string; readonly isKey: boolean }

async function openTable(client: pg.Client, { schema, table, columns, onConflict }: Head): Promise<Table> {
  const name = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`
  const { rows } = await client.query<ColumnRow>(COLUMNS, [name])
  const chosen = columns.map((wanted) => {
    const row = rows.find((one) => one.name === wanted)
    if (!row) throw new ServiceError('no_such_column', 422, `There is no column "${wanted}" in ${schema}.${table}.`)
    return row
  })
  const overriding = chosen.some(({ identity }) => identity === 'a') ? ' overriding system value' : ''
  const key = rows.filter(({ isKey }) => isKey)
  if (onConflict === 'update' && (key.length === 0 || !key.every((column) => chosen.includes(column))))
    throw new ServiceError(
      'no_key',
      422,
      key.length === 0
        ? `${schema}.${table} has no primary key by which rows could be updated.`
        : `Rows are updated by their primary key: ${key.map((column) => column.name).join(', ')}.`,
    )
  const names = chosen.map((row) => pg.escapeIdentifier(row.name)).join(', ')
  const values = chosen.map(({ type }, n) => `r.c${n}::${type}`).join(', ')
  const arrays = chosen.map((_, n) => `$${n + 1}::text[]`).join(', ')
  const aliases = chosen.map((_, n) => `c${n}`).join(', ')
  return {
    id: chosen[0]?.table ?? '',
    name,
    columns: chosen,
    insert: `insert into ${name} (${names})${overriding}\nselect ${values} from unnest(${arrays}) as r (${aliases})${conflictClause(onConflict, key, chosen)}`,
  }
}

function conflictClause(
  onConflict: Head['onConflict'],
  key: readonly ColumnRow[],
  chosen: readonly ColumnRow[],
): string {
  if (onConflict === 'refuse') return ''
  const changed = chosen.filter((column) => !column.isKey && column.identity !== 'a')
  if (onConflict === 'skip' || changed.length === 0) return '\non conflict do nothing'
  const target = key.map((column) => pg.escapeIdentifier(column.name)).join(', ')
  const settings = changed
    .map((column) => pg.escapeIdentifier(column.name))
    .map((column) => `${column} = excluded.${column}`)
  return `\non conflict (${target}) do update set ${settings.join(', ')}`
}

/** Moves the imported columns' sequences past the largest value, so that new rows don't collide. */
async function advanceSequences(client: pg.Client, { name, columns }: Table): Promise<void> {
  for (const { name: column, sequence } of columns)
    if (sequence !== null)
      await client.query(
        `select setval($1::regclass, t.last) from (select max(${pg.escapeIdentifier(column)})::bigint as last from ${name}) t, ${sequence} s
         where t.last >= s.last_value and (select seqincrement > 0 from pg_sequence where seqrelid = $1::regclass)`,
        [sequence],
      )
}

type ImportRow = readonly Cell[]

/** @param before How many rows arrived before this batch. @returns how many of the batch were inserted or updated. */
async function insertBatch(
  client: pg.Client,
  table: Table,
  rows: readonly ImportRow[],
  before: number,
): Promise<number> {
  let count = 0
  const add = async (some: readonly ImportRow[]) => {
    count += await insert(client, table, some)
  }
  if (!(await attempt(client, () => add(rows)))) return count
  // Postgres doesn't tell which row failed, so the rows are tried one by one. All may succeed: one statement can't update a row twice, but
  // single ones can, and the last one wins.
  for (const [index, row] of rows.entries()) {
    const fault = await attempt(client, () => add([row]))
    if (fault) throw new RowRefusedError(fault, before + index + 1, await columnToBlame(client, table, row, fault))
  }
  return count
}

async function insert(
  client: pg.Client,
  { columns, insert: text }: Table,
  rows: readonly ImportRow[],
): Promise<number> {
  const values = columns.map((_, n) => rows.map((row) => row[n] ?? null))
  return (await client.query(text, values)).rowCount ?? 0
}

/** Runs a statement that may fail, so that the transaction can continue. @returns Postgres' error. */
async function attempt(client: pg.Client, run: () => Promise<unknown>): Promise<StatementFailure | null> {
  await client.query('savepoint attempt')
  try {
    await run()
    await client.query('release savepoint attempt')
    return null
  } catch (error) {
    await client.query('rollback to savepoint attempt')
    return new StatementFailure(error)
  }
}

const TEXT_TOO_LONG = '22001'

async function columnToBlame(
  client: pg.Client,
  { id, columns }: Table,
  row: ImportRow,
  { cause, fault }: StatementFailure,
): Promise<string | null> {
  const { column, constraint } = cause as { column?: string; constraint?: string }
  if (column) return column
  if (constraint) return columnOfConstraint(client, id, constraint)
  for (const [index, { name, type, fullType }] of columns.entries()) {
    const values = [row[index] ?? null]
    if (fault.code === TEXT_TOO_LONG) {
      const text = `select char_length($1::text) > char_length($1::text::${fullType}::text) as is_cut`
      const { rows } = await client.query<{ is_cut: boolean | null }>(text, values)
      if (rows[0]?.is_cut) return name
    } else if (await attempt(client, () => client.query(`select $1::text::${type}::${fullType}`, values))) return name
  }
  return null
}

/** Returns the column of a single-column constraint or unique index. */
async function columnOfConstraint(client: pg.Client, table: string, constraint: string): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attname as name from (
       select conkey as key from pg_constraint where conrelid = $1::oid and conname = $2
       union all
       select x.indkey::int2[] from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = $1::oid and i.relname = $2) k
     join pg_attribute a on a.attrelid = $1::oid and a.attnum = any (k.key) and cardinality(k.key) = 1`,
    [table, constraint],
  )
  return rows[0]?.name ?? null
}

async function* batchesOf(lines: AsyncIterable<string>, width: number): AsyncGenerator<ImportRow[]> {
  let batch: ImportRow[] = []
  let length = 0
  for await (const line of lines) {
    batch.push(rowOf(line, width))
    length += line.length
    if (batch.length < BATCH.rows && length < BATCH.length) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

async function* linesOf(request: Request): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of limitedBytesOf(request, BODY_LIMIT)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > ROW_LIMIT)
      throw new ServiceError('row_too_large', 413, `A row is longer than ${ROW_LIMIT} characters.`)
    yield* lines
  }
  if (rest !== '') yield rest
}

function headOf(line: string): Head {
  try {
    return Head.parse(JSON.parse(line))
  } catch (error) {
    throw invalidBody(error instanceof z.ZodError ? z.prettifyError(error) : 'its first line is not JSON')
  }
}

function rowOf(line: string, width: number): ImportRow {
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch {
    throw invalidBody('a line is not JSON')
  }
  const isRow =
    Array.isArray(row) && row.length === width && row.every((cell) => cell === null || typeof cell === 'string')
  if (!isRow) throw invalidBody(`a row is an array of ${width} texts or nulls`)
  return row as ImportRow
}

const invalidBody = (reason: string): ServiceError =>
  new ServiceError('invalid_body', 400, `The rows cannot be imported: ${reason}.`)
