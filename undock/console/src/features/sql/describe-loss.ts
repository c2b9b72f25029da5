import { count, counted } from '../../lib/format.ts'
import type { SizedLoss } from './run-script.ts'

/** What a script does to something, as the end of a sentence that begins with "The script". */
export function describeLoss({ action, kind, name, column, count: rows, tables }: SizedLoss): string {
  switch (action) {
    case 'drop': {
      if (column !== undefined)
        return `drops the column ${column} of ${name}${rows === null ? ', with all of its values' : ` with ${counted(rows, 'value')}`}`
      const size =
        tables !== null
          ? ` with ${counted(tables, 'table')} and ${counted(rows ?? 0, 'row')}`
          : kind === 'table' && rows !== null
            ? ` with ${counted(rows, 'row')}`
            : kind === 'table' || kind === 'schema'
              ? `, with all that is in it`
              : ''
      return kind === 'owned by' ? `drops all that ${name} owns` : `drops the ${kind} ${name}${size}`
    }
    case 'truncate':
      return `empties the table ${name}: ${rowsOf(rows)} are lost`
    case 'delete':
      return `deletes ${rowsOf(rows)} of ${name}: the statement has no WHERE`
    case 'update':
      return `changes ${rowsOf(rows)} of ${name}: the statement has no WHERE`
  }
}

const rowsOf = (rows: number | null): string =>
  rows === null ? 'all rows' : rows === 1 ? 'the only row' : `all ${count(rows)} rows`
