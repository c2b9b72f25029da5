import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import {
  plainSelect,
  type ReadPlan,
  type RelationSelect,
  type SelectField,
  type SpreadField,
  unknownField,
} from '../plan/model.ts'
import { isAllRows, limitOf, offsetOf } from '../range.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import { aggregated, as, column, field, localName, orderBy, qualified, selectItem } from './fields.ts'
import { joinCondition, where } from './filters.ts'

/** Selects the rows of a resource; embedded resources are joined laterally.
 *  @param flat The embedded rows that are returned as columns instead of JSON. */
export function readSql(
  plan: ReadPlan,
  limit: Sql = limitSql(plan),
  flat: ReadonlySet<RelationSelect> = new Set(),
): Sql {
  const table = tableName(plan)
  const selected =
    plan.select.length === 0 && plan.children.length === 0 ? [plainSelect(unknownField('*'))] : plan.select
  const items = [
    ...selected.map((item) => selectItem(table, item)),
    ...extraSelect(plan, table),
    ...plan.relationSelect.flatMap((relation, index) =>
      flat.has(relation) ? flatItems(relation, plan.relationSelect[index + 1], flat) : relationItems(relation, plan),
    ),
  ]
  const conditions = [...plan.where.map((tree) => where(table, tree)), ...plan.joinConditions.map(joinCondition)]
  const filter = conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`
  return sql`select ${join(items)}${fromSql(plan)}${joins(plan, flat)}${filter}${groupBy(plan, table)}${orderBy(table, plan.order)}${limit}`
}

/** The name that qualifies the columns of this resource. */
export function tableName({ relationship, from, fromAlias }: ReadPlan): QualifiedName {
  if (fromAlias !== null) return localName(fromAlias)
  return relationship?.kind === 'computed' ? localName(relationship.function.name) : from
}

export function fromSql({ relationship, computedFrom, from, fromAlias }: ReadPlan): Sql {
  const alias = as(fromAlias)
  if (relationship?.kind === 'computed') {
    // The cast chooses among overloads; the row of a CTE has no type that would.
    const row = sql`${identifier((computedFrom ?? relationship.table).name)}::${qualified(relationship.table)}`
    return sql` from ${qualified(relationship.function)}(${row})${alias}`
  }
  const junction =
    relationship?.cardinality.kind === 'many-to-many'
      ? sql`, ${qualified(relationship.cardinality.junction.table)}`
      : empty
  return sql` from ${qualified(from)}${alias}${junction}`
}

const extraSelect = ({ spread }: ReadPlan, table: QualifiedName): Sql[] =>
  spread?.kind === 'to-many'
    ? spread.extraSelect.map(({ relation, item }) => selectItem(relation === null ? table : localName(relation), item))
    : []

/** Whether an embedded row is turned into JSON inside its join, which takes a quarter less work than outside, where Postgres
 *  builds each row again. Its columns cannot be referred to then. */
const isJsonInside = (relation: RelationSelect, { order, spread }: ReadPlan): boolean =>
  relation.kind === 'object' &&
  !relation.empty &&
  // Here the planner would choose another join, and unordered rows would come in another order than upstream's.
  spread?.kind !== 'to-many' &&
  order.every((one) => one.relation !== relation.alias)

function relationItems(relation: RelationSelect, plan: ReadPlan): Sql[] {
  const alias = identifier(relation.alias)
  switch (relation.kind) {
    case 'object': {
      if (relation.empty) return []
      const json = isJsonInside(relation, plan) ? sql`${alias}.${alias}` : sql`to_jsonb(${alias}.*)`
      return [sql`${json} as ${identifier(relation.name)}`]
    }
    case 'array':
      return relation.empty ? [] : [sql`coalesce(${alias}.${alias}, '[]') as ${identifier(relation.name)}`]
    case 'spread':
      return relation.fields.map((one) => {
        const value = aggregated(column(localName(relation.alias), one.name), one.aggregate, one.aggregateCast)
        return sql`${value}${as(one.alias)}`
      })
  }
}

/** @param next What is after it. */
const flatItems = (
  { alias }: RelationSelect,
  next: RelationSelect | undefined,
  flat: ReadonlySet<RelationSelect>,
): Sql[] => [sql`${identifier(alias)}.*`, ...(next && !flat.has(next) ? [sql`null as ${identifier(EMBED_END)}`] : [])]

const joins = (plan: ReadPlan, flat: ReadonlySet<RelationSelect>): Sql =>
  join(
    plan.children.flatMap((child, index) => {
      const relation = plan.relationSelect[index]
      return relation ? [joinSql(child, relation, plan, flat.has(relation))] : []
    }),
    '',
  )

function joinSql(child: ReadPlan, relation: RelationSelect, parent: ReadPlan, isFlat: boolean): Sql {
  const alias = identifier(relation.alias)
  const inner = child.join === 'inner'
  const lateral = (subquery: Sql, condition: Sql): Sql =>
    sql`${inner ? sql` inner` : sql` left`} join lateral (${subquery}) as ${alias} on ${condition}`
  if (isFlat && relation.kind === 'object') {
    const started = withStartColumn(child, relation, parent)
    if (started) return lateral(readSql(started), sql`true`)
    const start = identifier(EMBED_START + relation.name)
    return lateral(sql`select true as ${start}, ${alias}.* from (${readSql(child)}) as ${alias}`, sql`true`)
  }
  const rows = readSql(child)
  if (isJsonInside(relation, parent))
    return lateral(sql`select to_jsonb(${alias}) as ${alias} from (${rows}) as ${alias}`, sql`true`)
  const isToMany = relation.kind === 'array' || (relation.kind === 'spread' && child.spread?.kind === 'to-many')
  if (!isToMany) return lateral(rows, sql`true`)
  const spread =
    relation.kind === 'spread' && child.spread?.kind === 'to-many'
      ? relation.fields.map((one) => sql`, ${spreadArray(relation.alias, child.spread, one)}`)
      : []
  return lateral(
    sql`select jsonb_agg(${alias}) as ${alias}${join(spread, '')} from (${rows}) as ${alias}`,
    inner ? sql`${alias} is not null` : sql`true`,
  )
}

function spreadArray(alias: string, spread: ReadPlan['spread'], one: SpreadField): Sql {
  const order = spread?.kind === 'to-many' ? orderBy(localName(alias), spread.order) : empty
  return sql`coalesce(jsonb_agg(${column(localName(alias), one.name)}${order}), '[]') as ${identifier(one.alias ?? one.name)}`
}

function groupBy(plan: ReadPlan, table: QualifiedName): Sql {
  if (!hasAggregates(plan)) return empty
  const { select, relationSelect } = plan
  const own = select
    .filter(({ aggregate }) => aggregate === null)
    .map((item) => (item.alias === null ? field(table, item.field) : identifier(item.alias)))
  const related = relationSelect.flatMap((one) =>
    one.kind === 'spread'
      ? one.fields
          .filter(({ aggregate }) => aggregate === null)
          .map(({ name, alias }) => sql`${identifier(one.alias)}.${identifier(alias ?? name)}`)
      : [identifier(one.name)],
  )
  const terms = [...own, ...related]
  return terms.length === 0 ? empty : sql` group by ${join(terms)}`
}

/** A limit of one row is written as a constant, so that the planner knows it; an offset of 0 is left out. */
export function limitSql({ range }: ReadPlan): Sql {
  if (isAllRows(range)) return empty
  const limit = limitOf(range)
  const offset = offsetOf(range)
  if (limit === 1 && offset === 0) return sql` limit 1`
  return sql`${limit === null ? empty : sql` limit ${limit}`}${offset === 0 ? empty : sql` offset ${offset}`}`
}

/** Larger limits make no difference to the plan. */
const MAX_MAGNITUDE = 40

/** The rows that limit and offset add up to, rounded up to a power of two, as a constant limit. The planner estimates a limit in
 *  a parameter as a tenth of all rows, so it finds generic plans expensive and plans each request again; with the magnitude
 *  it keeps one plan for each. */
export function magnitudeSql({ range }: ReadPlan): Sql {
  const magnitude = Math.ceil(Math.log2((limitOf(range) ?? Number.POSITIVE_INFINITY) + offsetOf(range)))
  return magnitude >= 0 && magnitude <= MAX_MAGNITUDE ? keyword(` limit ${2 ** magnitude}`) : empty
}

/** Marks the column that starts an embedded row: `\u0001` and the embed's name. The column is null where there is no row; the
 *  embed's columns follow. In `\u0001name\u0001column` it is also a column of the row itself. */
export const EMBED_START = '\u0001'
/** The name of a column that ends an embedded row. */
export const EMBED_END = '\u0002'

/** Postgres cuts longer names off. */
const MAX_NAME_BYTES = 63

/** The embedded resources of at most one row whose columns can be returned among the columns of their parent's row. */
export function flatEmbeds(plan: ReadPlan): ReadonlySet<RelationSelect> {
  if (hasAggregates(plan)) return new Set()
  return new Set(
    plan.relationSelect.filter(
      (one) => one.kind === 'object' && !one.empty && !one.name.includes(EMBED_START) && isName(EMBED_START + one.name),
    ),
  )
}

const isName = (name: string): boolean => Buffer.byteLength(name) <= MAX_NAME_BYTES

/** Makes a column that an embedded row is joined by the one that starts it: such a column is never null in an existing row.
 *  @returns null when none of these columns is selected unchanged. */
function withStartColumn(
  child: ReadPlan,
  { name, alias }: RelationSelect & { kind: 'object' | 'array' },
  parent: ReadPlan,
): ReadPlan | null {
  const { relationship, select } = child
  if (relationship?.kind !== 'foreign' || relationship.cardinality.kind === 'many-to-many') return null
  // Aggregates and orders refer to the column by its own name.
  if (hasAggregates(child) || parent.order.some(({ relation }) => relation === alias)) return null
  const joined = relationship.cardinality.columns.map(([, foreign]) => foreign)
  const first = select.find((one) => isPlain(one) && joined.includes(one.field.name))
  if (!first) return null
  const column = EMBED_START + name + EMBED_START + (first.alias ?? first.field.name)
  if (!isName(column)) return null
  return { ...child, select: [{ ...first, alias: column }, ...select.filter((one) => one !== first)] }
}

const isPlain = ({ field, cast }: SelectField): boolean =>
  field.path.length === 0 && field.transform === null && !field.fullRow && cast === null

const hasAggregates = ({ select, relationSelect }: ReadPlan): boolean =>
  select.some(({ aggregate }) => aggregate !== null) ||
  relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
