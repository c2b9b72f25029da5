import type { Cell } from '../../lib/api.ts'
import { type ArrayItem, arrayLiteral } from '../../lib/sql.ts'
import type { Column } from '../catalog.ts'
import type { FileTable } from './file-table.ts'

/** The meaning of an empty CSV field in a text column. In other columns it's always null. */
export type EmptyField = 'null' | 'text'

/** Converts a file's value to Postgres' text for a column. */
export const cellOf = (
  value: unknown,
  column: Column,
  { format }: Pick<FileTable, 'format'>,
  empty: EmptyField,
): Cell => (format === 'csv' ? cellOfCsv(value as string, column, empty) : cellOfJson(value, column))

const cellOfCsv = (value: string, { category }: Column, empty: EmptyField): Cell =>
  value !== '' || (empty === 'text' && category === 'S') ? value : null

/** A JSON column accepts every value except null. */
function cellOfJson(value: unknown, { baseType, category }: Column): Cell {
  if (value === undefined || value === null) return null
  if (/^jsonb?$/.test(baseType)) return JSON.stringify(value)
  if (typeof value === 'string') return value
  return Array.isArray(value) && category === 'A' ? arrayLiteral(value.map(itemOf)) : JSON.stringify(value)
}

const itemOf = (value: unknown): ArrayItem =>
  value === null || typeof value === 'string' ? value : Array.isArray(value) ? value.map(itemOf) : JSON.stringify(value)

/** Returns a table's importable columns. */
export const isWritable = ({ isGenerated }: Column): boolean => !isGenerated

/** Matches a file's columns to the table's by name, ignoring case, spaces and dashes. */
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
