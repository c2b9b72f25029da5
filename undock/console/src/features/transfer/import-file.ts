import { ApiError, type Cell, read, sendBody } from '../../lib/api.ts'
import { arrayLiteral } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { cellOf, type EmptyField } from './cells.ts'
import type { FileRow, FileTable } from './file-table.ts'

/** @property targets The table's column for each of the file's; null to skip it. */
export type Mapping = {
  readonly table: FileTable
  readonly targets: readonly (Column | null)[]
  readonly empty: EmptyField
}

/** An import's progress: rows read, then the share of them sent. */
export type Progress = { readonly step: 'reading' | 'sending'; readonly rows: number; readonly share: number }

/** What to do with a row whose key exists. */
export type OnConflict = 'refuse' | 'skip' | 'update'

type ImportOptions = {
  readonly relation: RelationDetail
  readonly onConflict: OnConflict
  readonly as: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Inserts, updates or skips all rows of a file, or changes nothing if one is refused. @returns how many rows the file has, and how many
 *  were inserted or updated. @throws {ApiError | FileError} the former names the refused row and column. */
export async function importFile(
  mapping: Mapping,
  { relation, onConflict, as, signal, onProgress }: ImportOptions,
): Promise<{ rows: number; count: number }> {
  const { table } = mapping
  const columns = mapping.targets.filter((column) => column !== null)
  const pieces: Blob[] = []
  const places: number[] = []
  await table.forEachPiece(async (rows) => {
    pieces.push(new Blob(rows.map((row) => `${JSON.stringify(cellsOf(row, mapping))}\n`)))
    for (const { place } of rows) places.push(place)
    onProgress({ step: 'reading', rows: places.length, share: 0 })
    await nextTask()
    signal.throwIfAborted()
  })
  const rows = places.length
  const names = columns.map(({ name }) => name)
  const head = { schema: relation.schema, table: relation.name, columns: names, rows, onConflict, as }
  const body = new Blob([`${JSON.stringify(head)}\n`, ...pieces])
  try {
    const { count } = await sendBody<{ count: number }>('/import', body, signal, (sent) =>
      onProgress({ step: 'sending', rows, share: sent / body.size }),
    )
    return { rows, count }
  } catch (error) {
    throw error instanceof ApiError ? withPlace(error, table.unit, places) : error
  }
}

const cellsOf = ({ values }: FileRow, { table, targets, empty }: Mapping): Cell[] =>
  targets.flatMap((column, n) => (column ? [cellOf(values[n], column, table, empty)] : []))

/** Lets the browser render and handle a click on Cancel. */
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Prefixes an error with the file's line and column. */
function withPlace(error: ApiError, unit: string, places: readonly number[]): ApiError {
  const { row, column } = error.fields
  if (typeof row !== 'number') return error
  const where = `${unit} ${places[row - 1] ?? row}${typeof column === 'string' ? `, column ${column}` : ''}`
  return new ApiError(error.status, { ...error.fields, message: `${where}: ${error.message}` })
}

/** A previewed value that its column doesn't accept.
 *  @property row The index in the preview. @property column The index in the file's columns. */
export type PreviewFault = { readonly row: number; readonly column: number; readonly message: string }

const UNDEFINED_FUNCTION = '42883'

/** Checks the preview's values with Postgres. Servers older than version 16 are skipped: they can't check values without
 *  using them. @throws {ApiError} */
export async function checkPreview(mapping: Mapping, signal: AbortSignal): Promise<PreviewFault[]> {
  const { table, targets, empty } = mapping
  const asked = targets.flatMap((column, index) => (column ? [{ column, index }] : []))
  const statements = asked.map(({ column, index }) => ({
    text: `select u.n - 1, e.message from unnest($1::text[]) with ordinality u (value, n), pg_input_error_info(u.value, $2) e
      where e.message is not null`,
    values: [arrayLiteral(table.preview.map(({ values }) => cellOf(values[index], column, table, empty))), column.type],
  }))
  if (statements.length === 0) return []
  try {
    const results = await read(statements, { signal })
    return results.flatMap(({ rows }, n) =>
      rows.map(([row, message]) => ({ row: Number(row), column: asked[n]?.index ?? 0, message: message ?? '' })),
    )
  } catch (error) {
    if (error instanceof ApiError && error.code === UNDEFINED_FUNCTION) return []
    throw error
  }
}
