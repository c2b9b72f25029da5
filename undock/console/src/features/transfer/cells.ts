import type { Cell } from '../../lib/api.ts'
import { type ArrayItem, arrayLiteral } from '../../lib/sql.ts'
import type { Column } from '../catalog.ts'
import type { FileTable } from './file-table.ts'

/** What an empty field of CSV means in a column of text. In other columns it is null, which alone they can hold. */
export type EmptyField = 'null' | 'text'

/** A file's value as Postgres reads it into a column. */
export const cellOf = (
  value: unknown,
  column: Column,
  { format }: Pick<FileTable, 'format'>,
  empty: EmptyField,
): Cell => (format === 'csv' ? cellOfCsv(value as string, column, empty) : cellOfJson(value, column))

const cellOfCsv = (value: string, { category }: Column, empty: EmptyField): Cell =>
  value !== '' || (empty === 'text' && category === 'S') ? value : null

/** A column of JSON takes all values but null. */
function cellOfJson(value: unknown, { baseType, category }: Column): Cell {
  if (value === undefined || value === null) return null
  if (/^jsonb?$/.test(baseType)) return JSON.stringify(value)
  if (typeof value === 'string') return value
  return Array.isArray(value) && category === 'A' ? arrayLiteral(value.map(itemOf)) : JSON.stringify(value)
}

const itemOf = (value: unknown): ArrayItem =>
  value === null || typeof value === 'string' ? value : Array.isArray(value) ? value.map(itemOf) : JSON.stringify(value)

/** The columns of a table that can be imported into. */
export const isWritable = ({ isGenerated }: Column): boolean => !isGenerated

/** The table's column for each column of a file: the one of the same name, where case, spaces and dashes do not count. */
export function matchColumns(names: readonly string[], columns: readonly Column[]): (Column | null)[] {
  const free = columns.filter(isWritable)
  const take = (matches: (column: Column) => boolean): Column | null => {
    const at = free.findIndex(matches)
    return at < 0 ? null : (free.splice(at, 1)[0] ?? null)
  }
  const exact = names.map((name) => take((column) => column.name === name))
  return names.map((name, n) => exact[n] ?? take((column) => plain(column.name) === plain(name)))
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')
