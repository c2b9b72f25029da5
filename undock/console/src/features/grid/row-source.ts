import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { type Cell, read } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'

export const OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'like', 'ilike', 'is null', 'is not null'] as const
export type Operator = (typeof OPERATORS)[number]
export type Filter = readonly [column: string, operator: Operator, value: string]

export type RowRequest = {
  readonly relation: RelationDetail
  readonly sort: { readonly column: string; readonly descending: boolean } | null
  readonly filters: readonly Filter[]
  readonly as: string | undefined
  /** The rows nearest to one of them, in place of an order. */
  readonly near: Near | null
}

/** The distances of pgvector, and what they are called. */
export const DISTANCES = {
  '<=>': 'cosine distance',
  '<->': 'Euclidean distance',
  '<#>': 'negative inner product',
  '<+>': 'taxicab distance',
} as const
export type Distance = keyof typeof DISTANCES

/** @property column Holds vectors. @property key The row that distances are measured from. */
export type Near = { readonly column: string; readonly operator: Distance; readonly key: readonly Cell[] }

/** Rows that are nearest. */
const NEAREST = 50

/** Values in the order of the relation's columns.
 *  @property place Where the next page begins: the sort column's value and the key's. */
export type Row = { readonly cells: readonly Cell[]; readonly place: readonly Cell[] }

const PAGE = 200

/** How the rows of a statement come: their values, or each as one JSON object. The place follows in both. */
export type RowShape = 'values' | 'json'

/** What tells the rows of a relation apart and never changes while it is read: the primary key, else a table's physical
 *  place. Views have neither. */
export function tieBreakers({ relation: { key, kind }, near }: RowRequest): string[] {
  if (near) return []
  if (key.length > 0) return key.map(ident)
  return kind === 'r' || kind === 'm' ? ['ctid'] : []
}

/** Reads pages by keyset: each begins after the last row of the one before, so that the millionth costs as much as the first. */
export function rowsQuery(request: RowRequest) {
  const { relation, sort, filters, as, near } = request
  const ties = tieBreakers(request)
  const columns = gridColumns(request)
  return infiniteQueryOptions({
    queryKey: ['rows', relation.schema, relation.name, { sort, filters, as, near }, columns.map(({ name }) => name)],
    initialPageParam: null as readonly Cell[] | null,
    queryFn: async ({ pageParam, signal }) => {
      const statement = pageStatement(request, ties, pageParam)
      const [result] = await read([{ ...statement, limit: PAGE }], { as, signal })
      const width = columns.length
      const rows = (result?.rows ?? []).map((all): Row => ({ cells: all.slice(0, width), place: all.slice(width) }))
      // A page of very large values has fewer rows than were asked for.
      const isLast = rows.length < PAGE && result?.isPartial !== true
      return { rows, isLast, duration: result?.duration ?? 0, text: statement.text }
    },
    getNextPageParam: ({ rows, isLast }) => (isLast || ties.length === 0 ? null : (rows.at(-1)?.place ?? null)),
  })
}
export type RowPages = InfiniteData<{ rows: Row[]; isLast: boolean; duration: number; text: string }>

/** The columns of a grid: those of the relation, and the distance of near rows. */
export const gridColumns = ({ relation: { columns }, near }: RowRequest): readonly Column[] =>
  near
    ? [...columns, { ...DISTANCE_COLUMN, name: `distance ${near.operator}`, comment: DISTANCES[near.operator] }]
    : columns

/** A name that no column has. */
const DISTANCE = ident('distance from the row')

const DISTANCE_COLUMN: Omit<Column, 'name' | 'comment'> = {
  type: 'double precision',
  baseType: 'double precision',
  category: 'N',
  isNullable: true,
  default: null,
  identity: '',
  isGenerated: true,
  isKey: false,
  labels: null,
}

function distanceTo(
  { schema, name, columns, key }: RelationDetail,
  near: Near,
  parameter: (value: Cell, type: string) => string,
): string {
  const typeOf = (of: string) => columns.find((column) => column.name === of)?.baseType ?? 'text'
  const isRow = key.map((of, n) => `o.${ident(of)} = ${parameter(near.key[n] ?? null, typeOf(of))}`).join(' and ')
  const vector = `(select o.${ident(near.column)} from ${qualified(schema, name)} o where ${isRow})`
  return `${ident(near.column)} ${near.operator} ${vector} as ${DISTANCE}`
}

/** The name of a whole row, which no column has. */
const ROW = ident('row of the page')

/** The statement of one page. @param after The place of the last row before it. */
export function pageStatement(
  { relation, sort, filters, near }: RowRequest,
  ties: readonly string[],
  after: readonly Cell[] | null,
  { limit = PAGE, shape = 'values' }: { limit?: number; shape?: RowShape } = {},
): { text: string; values: Cell[] } {
  const values: Cell[] = []
  const parameter = (value: Cell, type: string) => `$${values.push(value)}::${type}`
  const typeOf = (name: string) => relation.columns.find((column) => column.name === name)?.baseType ?? 'text'
  const conditions = filters.map(([column, operator, value]) =>
    condition(ident(column), operator, () => parameter(value, operandType(typeOf(column), operator))),
  )
  const distance = near ? [distanceTo(relation, near, parameter)] : []
  const order = [
    ...(near
      ? [DISTANCE]
      : sort
        ? [`${ident(sort.column)} ${sort.descending ? 'desc nulls last' : 'asc nulls last'}`]
        : []),
    ...ties,
  ]
  const places = [...(sort && !near ? [`${ident(sort.column)}::text`] : []), ...ties.map((tie) => `${tie}::text`)]
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
    `select ${[...shown, ...distance, ...named].join(', ') || '1'}`,
    `from ${qualified(relation.schema, relation.name)}${shape === 'json' ? ` as ${ROW}` : ''}`,
    ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
    ...(order.length > 0 ? [`order by ${order.join(', ')}`] : []),
    `limit ${near ? NEAREST : limit}`,
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
