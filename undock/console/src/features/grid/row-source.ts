import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { type Cell, read } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'

export const OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'like', 'ilike', 'is null', 'is not null'] as const
export type Operator = (typeof OPERATORS)[number]
export type Filter = readonly [column: string, operator: Operator, value: string]

export type RowRequest = {
  readonly relation: RelationDetail
  readonly sort: { readonly column: string; readonly descending: boolean } | null
  readonly filters: readonly Filter[]
  readonly as: string | undefined
}

/** Values in the order of the relation's columns.
 *  @property place Where the next page begins: the sort column's value and the key's. */
export type Row = { readonly cells: readonly Cell[]; readonly place: readonly Cell[] }

const PAGE = 200

/** How the rows of a statement come: their values, or each as one JSON object. The place follows in both. */
export type RowShape = 'values' | 'json'

/** What tells the rows of a relation apart and never changes while it is read: the primary key, else a table's physical
 *  place. Views have neither. */
export function tieBreakers({ key, kind }: RelationDetail): string[] {
  if (key.length > 0) return key.map(ident)
  return kind === 'r' || kind === 'm' ? ['ctid'] : []
}

/** Reads pages by keyset: each begins after the last row of the one before, so that the millionth costs as much as the first. */
export function rowsQuery(request: RowRequest) {
  const { relation, sort, filters, as } = request
  const ties = tieBreakers(relation)
  return infiniteQueryOptions({
    queryKey: ['rows', relation.schema, relation.name, { sort, filters, as }, relation.columns.map(({ name }) => name)],
    initialPageParam: null as readonly Cell[] | null,
    queryFn: async ({ pageParam, signal }) => {
      const statement = pageStatement(request, ties, pageParam)
      const [result] = await read([{ ...statement, limit: PAGE }], { as, signal })
      const width = relation.columns.length
      const rows = (result?.rows ?? []).map((all): Row => ({ cells: all.slice(0, width), place: all.slice(width) }))
      // A page of very large values has fewer rows than were asked for.
      const isLast = rows.length < PAGE && result?.isPartial !== true
      return { rows, isLast, duration: result?.duration ?? 0, text: statement.text }
    },
    getNextPageParam: ({ rows, isLast }) => (isLast || ties.length === 0 ? null : (rows.at(-1)?.place ?? null)),
  })
}
export type RowPages = InfiniteData<{ rows: Row[]; isLast: boolean; duration: number; text: string }>

/** The name of a whole row, which no column has. */
const ROW = ident('row of the page')

/** The statement of one page. @param after The place of the last row before it. */
export function pageStatement(
  { relation, sort, filters }: RowRequest,
  ties: readonly string[],
  after: readonly Cell[] | null,
  { limit = PAGE, shape = 'values' }: { limit?: number; shape?: RowShape } = {},
): { text: string; values: Cell[] } {
  const values: Cell[] = []
  const parameter = (value: Cell, type: string) => `$${values.push(value)}::${type}`
  const typeOf = (name: string) => relation.columns.find((column) => column.name === name)?.type ?? 'text'
  const conditions = filters.map(([column, operator, value]) =>
    condition(ident(column), operator, () => parameter(value, operandType(typeOf(column), operator))),
  )
  const order = [
    ...(sort ? [`${ident(sort.column)} ${sort.descending ? 'desc nulls last' : 'asc nulls last'}`] : []),
    ...ties,
  ]
  const places = [...(sort ? [`${ident(sort.column)}::text`] : []), ...ties.map((tie) => `${tie}::text`)]
  if (after) {
    const rest = sort ? after.slice(1) : after
    const tieTypes = relation.key.length > 0 ? relation.key.map(typeOf) : ['tid']
    const later = `(${ties.join(', ')}) > (${rest.map((value, n) => parameter(value, tieTypes[n] ?? 'text')).join(', ')})`
    if (!sort) conditions.push(later)
    else {
      const name = ident(sort.column)
      const [last = null] = after
      if (last === null) conditions.push(`(${name} is null and ${later})`)
      else {
        const value = parameter(last, typeOf(sort.column))
        conditions.push(
          `(${name} ${sort.descending ? '<' : '>'} ${value} or (${name} = ${value} and ${later}) or ${name} is null)`,
        )
      }
    }
  }
  // Without names of their own they would have those of the columns, which `order by` could not tell apart.
  const named = places.map((place, n) => `${place} as ${ident(`place ${n + 1} in the order`)}`)
  const shown = shape === 'json' ? [`row_to_json(${ROW})`] : relation.columns.map(({ name }) => ident(name))
  const text = [
    `select ${[...shown, ...named].join(', ') || '1'}`,
    `from ${qualified(relation.schema, relation.name)}${shape === 'json' ? ` as ${ROW}` : ''}`,
    ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
    ...(order.length > 0 ? [`order by ${order.join(', ')}`] : []),
    `limit ${limit}`,
  ].join('\n')
  return { text, values }
}

function condition(name: string, operator: Operator, value: () => string): string {
  if (operator === 'is null' || operator === 'is not null') return `${name} ${operator}`
  if (operator === 'like' || operator === 'ilike') return `${name}::text ${operator} ${value()}`
  return `${name} ${operator} ${value()}`
}

const operandType = (type: string, operator: Operator): string =>
  operator === 'like' || operator === 'ilike' ? 'text' : type
