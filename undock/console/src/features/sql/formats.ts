import type { Cell, StatementResult } from '../../lib/api.ts'
import { toClipboard } from '../grid/clipboard.ts'

type Rows = Pick<StatementResult, 'fields' | 'rows'>

/** A format for copying or saving a result. */
export type Format = {
  readonly name: string
  readonly extension: string
  readonly type: string
  write(result: Rows): string
}

/** Formats a result as CSV (RFC 4180) with column names. As in Postgres' `copy … csv`, null is an empty field and an empty text a quoted
 *  one. */
export const toCsv = ({ fields, rows }: Rows): string => [fields.map(({ name }) => name), ...rows].map(csvLine).join('')

/** One row of CSV, with its line break. */
export const csvLine = (row: readonly Cell[]): string => `${row.map(csvCell).join(',')}\r\n`

const csvCell = (cell: Cell): string =>
  cell === null ? '' : cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Formats a result as an array of objects. Numbers keep all their digits, and JSON stays JSON; other values are Postgres' text. Duplicate
 *  column names get a number. */
export function toJson({ fields, rows }: Rows): string {
  const keys = distinct(fields.map(({ name }) => name)).map((name) => JSON.stringify(name))
  const lines = rows.map(
    (row) =>
      `  {${row.map((cell, column) => `${keys[column]}: ${jsonCell(cell, fields[column]?.type ?? 0)}`).join(', ')}}`,
  )
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`
}

/** Ids of types (pg_type.dat). */
const BOOLEAN = 16
const NUMBERS = [20, 21, 23, 26, 700, 701, 1700]
const JSONS = [114, 3802]
/** A JSON number, so not Postgres' NaN and Infinity. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function jsonCell(cell: Cell, type: number): string {
  if (cell === null) return 'null'
  if (type === BOOLEAN) return cell === 't' ? 'true' : 'false'
  if ((NUMBERS.includes(type) && JSON_NUMBER.test(cell)) || JSONS.includes(type)) return cell
  return JSON.stringify(cell)
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let key = name
    for (let number = 2; taken.has(key); number += 1) key = `${name}_${number}`
    taken.add(key)
    return key
  })
}

/** Formats a result as a GitHub Flavored Markdown table. */
export const toMarkdown = ({ fields, rows }: Rows): string =>
  [fields.map(({ name }) => name), fields.map(() => null), ...rows]
    .map((row, index) => `| ${row.map((cell) => (index === 1 ? '---' : markdownCell(cell))).join(' | ')} |\n`)
    .join('')

const markdownCell = (cell: Cell): string =>
  (cell ?? '').replaceAll(/[\\|`*_<>[\]]/g, '\\$&').replaceAll(/\r\n?|\n/g, '<br>')

/** Formats a result for pasting into spreadsheets: tab-separated, with column names. */
const toTabs = ({ fields, rows }: Rows): string => toClipboard([fields.map(({ name }) => name), ...rows])

export const FORMATS: readonly Format[] = [
  { name: 'CSV', extension: 'csv', type: 'text/csv', write: toCsv },
  { name: 'JSON', extension: 'json', type: 'application/json', write: toJson },
  { name: 'Markdown', extension: 'md', type: 'text/markdown', write: toMarkdown },
  { name: 'Tabs', extension: 'tsv', type: 'text/tab-separated-values', write: toTabs },
]
