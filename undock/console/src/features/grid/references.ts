import { queryOptions } from '@tanstack/react-query'
import { type Cell, read } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'

/** Rows that are offered. */
const MAX_ROWS = 30
/** Rows of a table up to which they are sorted by their words. */
const SORTED_UP_TO = 50_000

/** A row that a foreign key can refer to. @property words A readable description. */
export type ReferenceRow = { readonly value: string; readonly words: readonly Cell[] }

/** Columns that describe a row: the first text columns. */
export const wordColumns = ({ columns }: RelationDetail, target: string): string[] =>
  columns
    .filter(({ name, category, labels }) => category === 'S' && !labels && name !== target)
    .slice(0, 3)
    .map(({ name }) => name)

/** Rows of a referenced table whose key or words contain a text. */
export const referenceRowsQuery = (relation: RelationDetail, target: string, text: string, as: string | undefined) =>
  queryOptions({
    queryKey: ['rows', relation.schema, relation.name, 'references', target, text, as],
    queryFn: async ({ signal }): Promise<ReferenceRow[]> => {
      const [result] = await read([{ ...referenceStatement(relation, target, text), limit: MAX_ROWS }], { as, signal })
      return (result?.rows ?? []).map(([value, ...words]) => ({ value: value ?? '', words }))
    },
  })

function referenceStatement(relation: RelationDetail, target: string, text: string): { text: string; values: Cell[] } {
  const words = wordColumns(relation, target).map(ident)
  const shown = [ident(target), ...words]
  const order = (relation.rows ?? 0) <= SORTED_UP_TO && words[0] ? words[0] : ident(target)
  const isSearched = text.trim() !== ''
  return {
    text: [
      `select ${shown.map((name) => `${name}::text`).join(', ')}`,
      `from ${qualified(relation.schema, relation.name)}`,
      `where ${ident(target)} is not null${isSearched ? ` and (${shown.map((name) => `${name}::text ilike $1`).join(' or ')})` : ''}`,
      `order by ${order}`,
      `limit ${MAX_ROWS}`,
    ].join('\n'),
    values: isSearched ? [`%${text.trim().replaceAll(/[\\%_]/g, '\\$&')}%`] : [],
  }
}
