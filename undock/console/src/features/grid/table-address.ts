import type { RelationDetail } from '../catalog.ts'
import { type Distance, type Filter, type Near, OPERATORS, type Part, type RowRequest } from './row-source.ts'

/** The search parameters for a table's rows.
 *  @property sort A column's name, prefixed with a minus for descending order. @property near A vector column, the distance operator, and
 * the key of the row to measure from. */
export type RowSearch = {
  readonly sort?: string | undefined
  readonly filters?: [column: string, operator: string, value: string][] | undefined
  readonly part?: Part | undefined
  readonly near?: [column: string, operator: Distance, ...key: (string | null)[]] | undefined
  readonly as?: string | undefined
}

/** The rows for an address. Ignores an order or neighbors that the table can't have, and filters with an unknown
 *  operator: any page can open an address, and operators become part of a statement. */
export function requestOf(relation: RelationDetail, { sort, filters, part, near, as }: RowSearch): RowRequest {
  const order = sort ? { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') } : null
  return {
    relation,
    sort: order && relation.columns.some(({ name }) => name === order.column) ? order : null,
    filters: (filters ?? []).flatMap(([column, operator, value]): Filter[] => {
      const match = OPERATORS.find((one) => one === operator)
      return match ? [[column, match, value]] : []
    }),
    as,
    near: near ? nearOf(relation, near) : null,
    part: part === undefined || near ? null : part,
  }
}

function nearOf({ columns, key }: RelationDetail, [column, operator, ...values]: NonNullable<RowSearch['near']>) {
  const isOfTable = columns.some(({ name }) => name === column) && key.length > 0 && values.length === key.length
  return isOfTable ? { column, operator, key: values } : null
}

/** A new order starts at the first row. */
export const sortSearch = (sort: RowRequest['sort']): RowSearch => ({
  part: undefined,
  sort: sort ? `${sort.descending ? '-' : ''}${sort.column}` : undefined,
})

/** New filters start at the first row. */
export const filterSearch = (filters: readonly Filter[]): RowSearch => ({
  part: undefined,
  filters: filters.length > 0 ? filters.map(([column, operator, value]) => [column, operator, value]) : undefined,
})

export const nearSearch = (near: Near | null): RowSearch => ({
  near: near ? [near.column, near.operator, ...near.key] : undefined,
})
