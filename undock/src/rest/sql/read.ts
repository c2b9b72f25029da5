import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { plainSelect, type ReadPlan, type RelationSelect, type SpreadField, unknownField } from '../plan/model.ts'
import { isAllRows, limitOf, offsetOf } from '../range.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import { aggregated, as, column, field, localName, orderBy, qualified, selectItem } from './fields.ts'
import { joinCondition, where } from './filters.ts'

/** Selects a resource's rows, joining embedded resources laterally. */
export function readSql(plan: ReadPlan, limit: Sql = limitSql(plan)): Sql {
  const table = tableName(plan)
  const selected =
    plan.select.length === 0 && plan.children.length === 0 ? [plainSelect(unknownField('*'))] : plan.select
  const items = [
    ...selected.map((item) => selectItem(table, item)),
    ...extraSelect(plan, table),
    ...plan.relationSelect.flatMap((relation) => relationItems(relation, plan)),
  ]
  const conditions = [...plan.where.map((tree) => where(table, tree)), ...plan.joinConditions.map(joinCondition)]
  const filter = conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`
  return sql`select ${join(items)}${fromSql(plan)}${joins(plan)}${filter}${groupBy(plan, table)}${orderBy(table, plan.order)}${limit}`
}

/** Returns the name that qualifies this resource's columns. */
export function tableName({ relationship, from, fromAlias }: ReadPlan): QualifiedName {
  if (fromAlias !== null) return localName(fromAlias)
  return relationship?.kind === 'computed' ? localName(relationship.function.name) : from
}

export function fromSql({ relationship, computedFrom, from, fromAlias }: ReadPlan): Sql {
  const alias = as(fromAlias)
  if (relationship?.kind === 'computed') {
    // The cast chooses among overloads, because a CTE's row has no type.
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

/** Whether an embedded row becomes JSON inside its join, a quarter less work, but its columns can't be referenced. */
const isJsonInside = (relation: RelationSelect, { order, spread }: ReadPlan): boolean =>
  relation.kind === 'object' &&
  !relation.empty &&
  // Here the planner would choose another join, and the order of unordered rows would differ from upstream's.
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

const joins = (plan: ReadPlan): Sql =>
  join(
    plan.children.flatMap((child, index) => {
      const relation = plan.relationSelect[index]
      return relation ? [joinSql(child, relation, plan)] : []
    }),
    '',
  )

function joinSql(child: ReadPlan, relation: RelationSelect, parent: ReadPlan): Sql {
  const alias = identifier(relation.alias)
  const inner = child.join === 'inner'
  const lateral = (subquery: Sql, condition: Sql): Sql =>
    sql`${inner ? sql` inner` : sql` left`} join lateral (${subquery}) as ${alias} on ${condition}`
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

/** A limit of one row is a constant, so that the planner knows it; an offset of 0 is omitted. */
export function limitSql({ range }: ReadPlan): Sql {
  if (isAllRows(range)) return empty
  const limit = limitOf(range)
  const offset = offsetOf(range)
  if (limit === 1 && offset === 0) return sql` limit 1`
  return sql`${limit === null ? empty : sql` limit ${limit}`}${offset === 0 ? empty : sql` offset ${offset}`}`
}

const MAX_MAGNITUDE = 40

/** Limit plus offset, rounded up to a power of two, as a constant limit. The planner takes a limit in a parameter for a
 *  tenth of all rows, finds generic plans expensive and replans each request; this way it keeps a plan per magnitude. */
export function magnitudeSql({ range }: ReadPlan): Sql {
  const magnitude = Math.ceil(Math.log2((limitOf(range) ?? Number.POSITIVE_INFINITY) + offsetOf(range)))
  return magnitude >= 0 && magnitude <= MAX_MAGNITUDE ? keyword(` limit ${2 ** magnitude}`) : empty
}

const hasAggregates = ({ select, relationSelect }: ReadPlan): boolean =>
  select.some(({ aggregate }) => aggregate !== null) ||
  relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
