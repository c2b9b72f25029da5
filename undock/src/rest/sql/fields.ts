import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import type { OrderBy, ResolvedField, SelectField } from '../plan/model.ts'
import type { AggregateFunction, JsonOperation } from '../request/ast.ts'
import type { QualifiedName } from '../schema-cache/model.ts'

export const qualified = ({ schema, name }: QualifiedName): Sql =>
  schema === '' ? identifier(name) : identifier(schema, name)

/** Returns a name without a schema, such as an alias. */
export const localName = (name: string): QualifiedName => ({ schema: '', name })

export const column = (table: QualifiedName, name: string): Sql =>
  name === '*' ? sql`${qualified(table)}.*` : sql`${qualified(table)}.${identifier(name)}`

const ARROWS: Record<JsonOperation['arrow'], Sql> = { '->': sql`->`, '->>': sql`->>` }

const jsonPath = (path: readonly JsonOperation[]): Sql =>
  join(
    path.map(({ arrow, operand }) =>
      operand.kind === 'index' ? sql`${ARROWS[arrow]}${operand.value}::int` : sql`${ARROWS[arrow]}${operand.value}`,
    ),
    '',
  )

export function field(table: QualifiedName, { name, path, toJson, textSearch, fullRow }: ResolvedField): Sql {
  if (fullRow) return identifier(table.name)
  const named = column(table, name)
  const value = path.length === 0 ? named : sql`${toJson ? sql`to_jsonb(${named})` : named}${jsonPath(path)}`
  if (textSearch === null) return value
  return textSearch.language === null ? sql`to_tsvector(${value})` : sql`to_tsvector(${textSearch.language}, ${value})`
}

/** Calls a function by its name from Postgres' catalog, quoted where necessary. */
export const callFunction = (printed: string, argument: Sql): Sql => sql`${keyword(printed)}(${argument})`

/** Not quoted, or `int` wouldn't work: the parser only accepts letters, digits, spaces, `_` and `$` (request/names.ts). */
const castTo = (value: Sql, type: string | null): Sql =>
  type === null ? value : sql`cast(${value} as ${keyword(type)})`

const AGGREGATES: Record<AggregateFunction, Sql> = {
  sum: sql`sum`,
  avg: sql`avg`,
  max: sql`max`,
  min: sql`min`,
  count: sql`count`,
}

export const aggregated = (value: Sql, aggregate: AggregateFunction | null, cast: string | null): Sql =>
  aggregate === null ? value : castTo(sql`${AGGREGATES[aggregate]}(${value})`, cast)

export const as = (alias: string | null): Sql => (alias === null ? empty : sql` as ${identifier(alias)}`)

export function selectItem(table: QualifiedName, item: SelectField): Sql {
  const value = field(table, item.field)
  const shown = item.field.transform === null ? value : callFunction(item.field.transform, value)
  return sql`${aggregated(castTo(shown, item.cast), item.aggregate, item.aggregateCast)}${as(item.alias)}`
}

const DIRECTIONS = { asc: sql` asc`, desc: sql` desc` }
const NULLS = { first: sql` nulls first`, last: sql` nulls last` }

export function orderBy(table: QualifiedName, order: readonly OrderBy[]): Sql {
  if (order.length === 0) return empty
  const terms = order.map((term) => {
    const value = field(term.relation === null ? table : localName(term.relation), term.field)
    const direction = term.direction === null ? empty : DIRECTIONS[term.direction]
    return sql`${value}${direction}${term.nulls === null ? empty : NULLS[term.nulls]}`
  })
  return sql` order by ${join(terms)}`
}
