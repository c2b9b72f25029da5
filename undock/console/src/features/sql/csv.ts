import type { StatementResult } from '../../lib/api.ts'

/** A result as CSV (RFC 4180), with its column names. Null is an empty field, an empty text a quoted one, as `copy … csv` of
 *  Postgres writes them. */
export const toCsv = ({ fields, rows }: Pick<StatementResult, 'fields' | 'rows'>): string =>
  [fields.map(({ name }) => name), ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')

const fieldOf = (cell: string | null): string =>
  cell === null ? '' : cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
