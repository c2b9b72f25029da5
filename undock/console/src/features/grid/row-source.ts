import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { type Cell, read } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'

export const OPERATORS = ['=', '<>', '<', '<=', '>', '>=', 'like', 'ilike', 'is null', 'is not null'] as const
export type Operator = (typeof OPERATORS)[number]
export type Filter = readonly [column: string, operator: Operator, value: string]

/** Means any text column in a condition. No real column has this name. */
export const ANY_TEXT = ''

export type RowRequest = {
  readonly relation: RelationDetail
  readonly sort: { readonly column: string; readonly descending: boolean } | null
  readonly filters: readonly Filter[]
  readonly as: string | undefined
  /** Sorts by the distance to a row, instead of an order. */
  readonly near: Near | null
  /** Where to start reading; other rows are loaded in both directions. */
  readonly part: Part | null
}

/** The last rows, or those after about so many percent; the first by default. */
export type Part = 'end' | number

/** The distances of pgvector and their names. */
export const DISTANCES = {
  '<=>': 'cosine distance',
  '<->': 'Euclidean distance',
  '<#>': 'negative inner product',
  '<+>': 'taxicab distance',
} as const
export type Distance = keyof typeof DISTANCES

/** @property column Contains vectors. @property key The row to measure distances from. */
export type Near = { readonly column: string; readonly operator: Distance; readonly key: readonly Cell[] }

/** The number of nearest rows. */
const NEAREST = 50

/** Values in the order of the relation's columns.
 *  @property place Where the next page begins: the sort column's value and the key's. */
export type Row = { readonly cells: readonly Cell[]; readonly place: readonly Cell[] }

const PAGE = 200

/** A statement's output: the rows' values, or one JSON object per row. The place follows in both. */
type RowShape = 'values' | 'json'

/** Identifies rows while reading: the primary key, else a table's physical
 *  location. Views have neither, so their pages use offsets. */
export function tieBreakers({ relation: { key, kind }, near }: RowRequest): string[] {
  if (near) return []
  if (key.length > 0) return key.map(ident)
  return kind === 'r' || kind === 'm' ? ['ctid'] : []
}

/** A page after a place or, if `isBackward`, before it. Without a place, the first or last page. */
type PagePlace = { readonly place: readonly Cell[] | null; readonly isBackward: boolean }

/** @property isFirst Whether there are no rows before. @property isLast Whether there are none after. */
type RowPage = {
  readonly rows: readonly Row[]
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly duration: number
}

/** Reads pages by keyset if rows have an identity, so that the millionth costs as much as the first. */
export function rowsQuery(request: RowRequest) {
  const { relation, sort, filters, as, near, part } = request
  const ties = tieBreakers(request)
  const columns = gridColumns(request)
  return infiniteQueryOptions({
    queryKey: [
      'rows',
      relation.schema,
      relation.name,
      { sort, filters, as, near, part },
      columns.map(({ name }) => name),
    ],
    initialPageParam: { place: null, isBackward: part === 'end' } as PagePlace,
    queryFn: async ({ pageParam, signal }): Promise<RowPage> => {
      const { isBackward } = pageParam
      const isPart = typeof part === 'number' && pageParam.place === null
      const [found] = isPart ? await read([partStatement(request, ties, part)], { as, signal }) : []
      const place = pageParam.place ?? found?.rows[0] ?? null
      const statement = pageStatement(request, ties, place, { isBackward })
      const [result] = await read([{ ...statement, limit: PAGE }], { as, signal })
      const width = columns.length
      const before = Number(place?.[0] ?? 0)
      const rows = (result?.rows ?? []).map(
        (all, n): Row => ({
          cells: all.slice(0, width),
          place: ties.length > 0 ? all.slice(width) : [String(before + n + 1)],
        }),
      )
      // A page of very large values has fewer rows than requested.
      const isDone = (rows.length < PAGE && result?.isPartial !== true) || near !== null
      const duration = result?.duration ?? 0
      return isBackward
        ? { rows: rows.reverse(), isFirst: isDone, isLast: place === null, duration }
        : { rows, isFirst: place === null, isLast: isDone, duration }
    },
    getNextPageParam: ({ rows, isLast }): PagePlace | null => {
      const place = rows.at(-1)?.place
      return isLast || !place ? null : { place, isBackward: false }
    },
    getPreviousPageParam: ({ rows, isFirst }): PagePlace | null => {
      const place = rows[0]?.place
      return isFirst || !place ? null : { place, isBackward: true }
    },
  })
}
export type RowPages = InfiniteData<RowPage, unknown>

/** Returns a grid's columns: the relation's, and the distance if sorted by it. */
export const gridColumns = ({ relation: { columns }, near }: RowRequest): readonly Column[] =>
  near
    ? [...columns, { ...DISTANCE_COLUMN, name: `distance ${near.operator}`, comment: DISTANCES[near.operator] }]
    : columns

/** An unused column name. */
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

function distanceTo(relation: RelationDetail, near: Near, parameter: Parameter): string {
  const { schema, name, key } = relation
  const isRow = key
    .map((of, n) => `o.${ident(of)} = ${parameter(near.key[n] ?? null, typeOf(relation, of))}`)
    .join(' and ')
  const vector = `(select o.${ident(near.column)} from ${qualified(schema, name)} o where ${isRow})`
  return `${ident(near.column)} ${near.operator} ${vector} as ${DISTANCE}`
}

/** An alias for the whole row that no column has. */
const ROW = ident('row of the page')

type PageOptions = { readonly limit?: number; readonly shape?: RowShape; readonly isBackward?: boolean }

/** The statement of one page.
 *  @param from The row before it, or with `isBackward`, which reverses the order, the row after it. Without ties, an offset. */
export function pageStatement(
  request: RowRequest,
  ties: readonly string[],
  from: readonly Cell[] | null,
  { limit = PAGE, shape = 'values', isBackward = false }: PageOptions = {},
): { text: string; values: Cell[] } {
  const { relation, near } = request
  const { values, parameter, conditions } = filtersOf(request)
  const distance = near ? [distanceTo(relation, near, parameter)] : []
  const columns = shape === 'json' ? [`row_to_json(${ROW})`] : relation.columns.map(({ name }) => ident(name))
  const statementOf = ({ where, order }: Stretch): string => {
    const all = [...conditions, ...where]
    return [
      `select ${[...columns, ...distance, ...placesOf(request, ties)].join(', ') || '1'}`,
      `from ${qualified(relation.schema, relation.name)}${shape === 'json' ? ` as ${ROW}` : ''}`,
      ...(all.length > 0 ? [`where ${all.join(' and ')}`] : []),
      ...(order.length > 0 ? [`order by ${order.join(', ')}`] : []),
      `limit ${near ? NEAREST : limit}${ties.length === 0 && from ? ` offset ${Number(from[0])}` : ''}`,
    ].join('\n')
  }
  const [only, second] = near
    ? [{ where: [], order: [DISTANCE] }]
    : stretchesOf(request, ties, from, isBackward, parameter)
  const text = second
    ? `(${statementOf(only)})\nunion all\n(${statementOf(second)})\nlimit ${limit}`
    : statementOf(only)
  return { text, values }
}

/** Pages sampled to estimate where a part begins. */
const SAMPLE = 300

/** Returns the statement that finds the place after about so many percent of the rows, by sampling: exact for small tables, and as fast for
 *  large ones. */
export function partStatement(
  request: RowRequest,
  ties: readonly string[],
  percent: number,
): { text: string; values: Cell[] } {
  const { schema, name } = request.relation
  const { values, parameter, conditions } = filtersOf(request)
  const table = `${parameter(qualified(schema, name), 'text')}::regclass`
  // A partitioned table's pages are in its partitions.
  const pages = `(select coalesce(sum(pg_relation_size(relid)), pg_relation_size(${table})) / 8192.0 from pg_partition_tree(${table}))`
  const places = placesOf(request, ties)
  const order = [...(request.sort ? [`${ident(request.sort.column)} is null`] : []), ...orderOf(request, ties, false)]
  const text = [
    `select ${places.map((_, n) => placeName(n)).join(', ')} from (`,
    `  select ${places.join(', ')}, row_number() over (order by ${order.join(', ')}) as "number", count(*) over () as "count"`,
    `  from ${qualified(schema, name)} tablesample system (least(100, ${SAMPLE * 100} / greatest(1, ${pages}))) repeatable (0)`,
    ...(conditions.length > 0 ? [`  where ${conditions.join(' and ')}`] : []),
    ') as sample',
    `where "number" = greatest(1, ceil("count" * ${parameter(String(percent), 'numeric')} / 100))`,
  ].join('\n')
  return { text, values }
}

type Parameter = (value: Cell, type: string) => string

const typeOf = ({ columns }: RelationDetail, name: string): string =>
  columns.find((column) => column.name === name)?.baseType ?? 'text'

function filtersOf({ relation, filters }: RowRequest): {
  values: Cell[]
  parameter: Parameter
  conditions: string[]
} {
  const values: Cell[] = []
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`
  const conditions = filters.map(([column, operator, value]) => {
    if (column === ANY_TEXT) return anyText(relation, operator, parameter(value, 'text'))
    return condition(ident(column), operator, () => parameter(value, operandType(typeOf(relation, column), operator)))
  })
  return { values, parameter, conditions }
}

function anyText({ columns }: RelationDetail, operator: Operator, value: string): string {
  const texts = columns.filter(
    ({ category, baseType }) => 'SE'.includes(category) || ['json', 'jsonb', 'uuid'].includes(baseType),
  )
  return `(${texts.map(({ name }) => condition(ident(name), operator, () => value)).join(' or ') || 'false'})`
}

/** The maximum number of counted values. */
const MAX_GROUPS = 100

/** Returns the statement that counts filtered rows by a column: each value and its rows, and the totals. */
export function countStatement(request: RowRequest, column: string): { text: string; values: Cell[] } {
  const { schema, name } = request.relation
  const { values, conditions } = filtersOf(request)
  const text = [
    `select ${ident(column)}::text, count(*), count(*) over (), sum(count(*)) over ()`,
    `from ${qualified(schema, name)}`,
    ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
    `group by ${ident(column)} order by 2 desc, 1 limit ${MAX_GROUPS}`,
  ].join('\n')
  return { text, values }
}

/** Whether a column can be null. */
const isNullable = ({ relation }: RowRequest, name: string): boolean =>
  relation.columns.find((column) => column.name === name)?.isNullable !== false

function orderOf({ sort }: RowRequest, ties: readonly string[], isBackward: boolean): string[] {
  const tied = ties.map((tie) => (isBackward ? `${tie} desc` : tie))
  return sort ? [`${ident(sort.column)} ${sort.descending === isBackward ? 'asc' : 'desc'}`, ...tied] : tied
}

// Named differently from the columns, because `order by` would confuse them.
const placeName = (n: number): string => ident(`place ${n + 1} in the order`)

const placesOf = ({ sort, near }: RowRequest, ties: readonly string[]): string[] =>
  [...(sort && !near ? [ident(sort.column)] : []), ...ties].map((name, n) => `${name}::text as ${placeName(n)}`)

/** A range of rows in the order that an index can find. */
type Stretch = { readonly where: readonly string[]; readonly order: readonly string[] }

/** Returns the rows after a place or, backward, before it. Nulls in the sorted column come last, as a separate range: in one condition with
 *  the others, no index could tell Postgres where a page begins. */
function stretchesOf(
  request: RowRequest,
  ties: readonly string[],
  place: readonly Cell[] | null,
  isBackward: boolean,
  parameter: Parameter,
): [Stretch, Stretch?] {
  const { relation, sort } = request
  const order = orderOf(request, ties, isBackward)
  const from = ties.length > 0 ? place : null
  const tieTypes = relation.key.length > 0 ? relation.key.map((name) => typeOf(relation, name)) : ['tid']
  const beyondTies = (rest: readonly Cell[]) =>
    `(${ties.join(', ')}) ${isBackward ? '<' : '>'} (${rest.map((value, n) => parameter(value, tieTypes[n] ?? 'text')).join(', ')})`
  if (!sort) return [{ where: from ? [beyondTies(from)] : [], order }]

  const name = ident(sort.column)
  const [last = null, ...rest] = from ?? []
  const nulls = { where: [`${name} is null`], order: orderOf({ ...request, sort: null }, ties, isBackward) }
  if (from && last === null) {
    const without = { ...nulls, where: [...nulls.where, beyondTies(rest)] }
    return isBackward ? [without, { where: [`${name} is not null`], order }] : [without]
  }
  const where: string[] = []
  if (from) {
    const value = parameter(last, typeOf(relation, sort.column))
    const sign = sort.descending === isBackward ? '>' : '<'
    // The first part lets Postgres start at the page's place in an index.
    where.push(`${name} ${sign}= ${value}`, `(${name} ${sign} ${value} or ${beyondTies(rest)})`)
  }
  if (!isNullable(request, sort.column)) return [{ where, order }]
  const values = { where: from ? where : [`${name} is not null`], order }
  if (!isBackward) return [values, nulls]
  return from ? [values] : [nulls, values]
}

function condition(name: string, operator: Operator, value: () => string): string {
  if (operator === 'is null' || operator === 'is not null') return `${name} ${operator}`
  if (operator === 'like' || operator === 'ilike') return `${name}::text ${operator} ${value()}`
  return `${name} ${operator} ${value()}`
}

const operandType = (type: string, operator: Operator): string =>
  operator === 'like' || operator === 'ilike' ? 'text' : type
