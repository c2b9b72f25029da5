import type { Client, Connection, FieldDef, QueryResult } from 'pg'
import Cursor from 'pg-cursor'
import type { Principal } from '../kernel/service.ts'

/** A value as Postgres writes it; null is SQL's null. */
export type Cell = string | null

/** @property type The type's id in pg_type.
 *  @property table The id of the table in pg_class that the column is from, 0 for an expression.
 *  @property column Its number in that table. */
export type Field = { readonly name: string; readonly type: number; readonly table: number; readonly column: number }

/** @property count Rows read or changed; null if Postgres reports none. @property isPartial Whether there are more rows than requested.
 *  @property duration Milliseconds. */
export type StatementResult = {
  readonly command: string
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly Cell[])[]
  readonly count: number | null
  readonly isPartial: boolean
  readonly duration: number
}

/** @property position In characters of the statement, from 1. */
export type StatementError = {
  readonly message: string
  readonly code: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  readonly where?: string | undefined
  readonly position?: number | undefined
}

/** The maximum size of one result's values in bytes. */
const MAX_BYTES = 20 * 1024 * 1024
/** Rows per fetch: few until their size is known. */
const BATCH = 500
const FIRST_BATCH = 20

/** Values stay Postgres' text, so that numbers and times keep all their digits. */
const AS_TEXT = { getTypeParser: () => (value: string) => value }

/** A result's rows as they arrive. */
export type RowBatch = { readonly kind: 'rows' } & Pick<StatementResult, 'fields' | 'rows'>

/** Runs one statement, whose rows arrive in batches.
 *  @param limit The maximum number of rows.
 *  @returns a summary of the result.
 *  @throws {StatementFailure} */
export async function* readStatement(
  client: Client,
  text: string,
  values: readonly Cell[],
  limit: number,
): AsyncGenerator<RowBatch, Omit<StatementResult, 'fields' | 'rows'>> {
  const started = performance.now()
  const cursor = client.query(new StatementCursor(text, [...values], { rowMode: 'array', types: AS_TEXT as never }))
  let read = 0
  let bytes = 0
  let isDone = false
  let last: QueryResult | undefined
  try {
    while (!isDone && read <= limit && bytes < MAX_BYTES) {
      const fitting = read === 0 ? FIRST_BATCH : Math.ceil(MAX_BYTES / Math.max(1, bytes / read))
      const count = Math.min(BATCH, fitting, limit + 1 - read)
      const batch = await readBatch(cursor, count).catch(failStatement)
      last = batch.result
      for (const row of batch.read) for (const cell of row) bytes += cell?.length ?? 0
      isDone = batch.read.length < count
      yield { kind: 'rows', fields: (last.fields ?? []).map(fieldOf), rows: batch.read.slice(0, limit - read) }
      read += batch.read.length
    }
    if (cursor.hasCopied) throw new StatementFailure(new Error(NO_OUTPUT))
    return {
      command: last?.command ?? '',
      count: last?.rowCount ?? null,
      isPartial: read > limit || !isDone,
      duration: performance.now() - started,
    }
  } finally {
    await cursor.close().catch(() => undefined)
  }
}

/** Runs one statement and returns its result. @param limit The maximum number of rows.
 *  @throws {StatementFailure} */
export async function runStatement(
  client: Client,
  text: string,
  values: readonly Cell[],
  limit: number,
): Promise<StatementResult> {
  const batches = readStatement(client, text, values, limit)
  const rows: (readonly Cell[])[] = []
  let fields: readonly Field[] = []
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return { ...value, fields, rows }
    fields = value.fields
    for (const row of value.rows) rows.push(row)
  }
}

/** Ends a COPY from or to the client. Without these methods, Postgres' response would crash the process. */
class StatementCursor extends Cursor<Cell[]> {
  hasCopied = false

  handleCopyInResponse(connection: Connection & { sendCopyFail(message: string): void }): void {
    connection.sendCopyFail(NO_INPUT)
  }

  handleCopyData(): void {
    this.hasCopied = true
  }
}

const NO_INPUT = 'the console sends no rows. Run the script with psql, or insert them'
const NO_OUTPUT = 'The console does not show the rows of COPY … TO STDOUT. Select them instead.'

function readBatch(cursor: Cursor<Cell[]>, count: number): Promise<{ read: Cell[][]; result: QueryResult }> {
  return new Promise((resolve, reject) => {
    cursor.read(count, (error, read, result) => (error ? reject(error) : resolve({ read, result })))
  })
}

const fieldOf = ({ name, dataTypeID, tableID, columnID }: FieldDef): Field => ({
  name,
  type: dataTypeID,
  table: tableID,
  column: columnID,
})

/** A statement refused by Postgres, or a lost connection. */
export class StatementFailure extends Error {
  override readonly name = 'StatementFailure'
  readonly fault: StatementError

  constructor(cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause)
    super(message, { cause })
    const { code, detail, hint, where, position } = cause as Partial<Record<keyof StatementError, string>>
    this.fault = {
      message,
      code: typeof code === 'string' ? code : '',
      detail,
      hint,
      where,
      position: position === undefined ? undefined : Number(position),
    }
  }
}

/** @throws {StatementFailure} */
export const failStatement = (error: unknown): never => {
  throw new StatementFailure(error)
}

/** Gives the open transaction an API caller's rights. */
export async function actAs(client: Client, { role, claims }: Principal): Promise<void> {
  await client.query("select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)", [
    JSON.stringify({ ...claims, role }),
    role,
  ])
}
