import { type Cell, read } from '../../lib/api.ts'
import { ident, literal, qualified } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'
import { pageStatement, type RowRequest, tieBreakers } from '../grid/row-source.ts'
import { csvLine } from '../sql/formats.ts'

export type ExportFormat = 'csv' | 'json' | 'sql'

/** Rows per statement. */
const PAGE = 5_000
/** The maximum number of rows if they can't be paged: one response's limit. */
const MAX_UNORDERED_ROWS = 100_000

/** @property isWhole Whether the file has all rows. */
export type Exported = { readonly file: Blob; readonly rows: number; readonly isWhole: boolean }

/** Reads all rows that match the filters, page by page, into a file. Rows that change meanwhile may be included before or after the change.
 *  @throws {ApiError} */
export async function exportRows(
  request: RowRequest,
  format: ExportFormat,
  { signal, onRows }: { readonly signal: AbortSignal; readonly onRows: (rows: number) => void },
): Promise<Exported> {
  const { relation, as } = request
  const { start, end, piece } = writerOf(format, relation)
  const ties = tieBreakers(request)
  const width = format === 'json' ? 1 : relation.columns.length
  const limit = ties.length > 0 ? PAGE : MAX_UNORDERED_ROWS
  const pieces: BlobPart[] = [start]
  let rows = 0
  for (let after: readonly Cell[] | null = null; ; ) {
    const statement = pageStatement(request, ties, after, { limit, shape: format === 'json' ? 'json' : 'values' })
    const [result] = await read([{ ...statement, limit }], { as, signal })
    const page = result?.rows ?? []
    // Each piece becomes a Blob, which the browser may keep on disk.
    if (page.length > 0)
      pieces.push(
        new Blob([
          piece(
            page.map((row) => row.slice(0, width)),
            rows,
          ),
        ]),
      )
    rows += page.length
    onRows(rows)
    const isLast = page.length < limit && result?.isPartial !== true
    if (isLast || ties.length === 0) return { file: new Blob([...pieces, end]), rows, isWhole: isLast }
    after = page.at(-1)?.slice(width) ?? null
  }
}

type Rows = readonly (readonly Cell[])[]

/** @property piece The text of some rows. @param before The number of preceding rows. */
type Writer = { readonly start: string; readonly end: string; readonly piece: (rows: Rows, before: number) => string }

function writerOf(format: ExportFormat, relation: RelationDetail): Writer {
  if (format === 'csv')
    return {
      start: csvLine(relation.columns.map(({ name }) => name)),
      end: '',
      piece: (rows) => rows.map(csvLine).join(''),
    }
  if (format === 'json')
    return {
      start: '[',
      end: '\n]\n',
      piece: (rows, before) => rows.map(([row], n) => `${before + n > 0 ? ',' : ''}\n${row}`).join(''),
    }
  return { start: '', end: '', piece: (rows) => insertsOf(relation, rows) }
}

/** Rows per insert statement. */
const INSERT_ROWS = 200

/** Statements that insert the rows, including identity columns but not generated ones. */
export function insertsOf({ schema, name, columns }: RelationDetail, rows: Rows): string {
  const written = columns.flatMap((column, index) => (column.isGenerated ? [] : [{ column, index }]))
  const names = written.map(({ column }) => ident(column.name)).join(', ')
  const overriding = written.some(({ column }) => column.identity === 'a') ? ' overriding system value' : ''
  let text = ''
  for (let from = 0; from < rows.length; from += INSERT_ROWS) {
    const values = rows
      .slice(from, from + INSERT_ROWS)
      .map((row) => `  (${written.map(({ index }) => sqlOf(row[index] ?? null)).join(', ')})`)
    text += `insert into ${qualified(schema, name)} (${names})${overriding} values\n${values.join(',\n')};\n`
  }
  return text
}

const sqlOf = (cell: Cell): string => (cell === null ? 'null' : literal(cell).trimStart())
